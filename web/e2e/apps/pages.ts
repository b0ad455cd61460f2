/** An app: it counts, answers agents, and tells its window's agent when a button is pressed. */
export const counter = `<!doctype html>
<meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Stock counter</title>
<style>html{font:14px/1.5 system-ui,sans-serif}body{margin:16px}h1{font-size:18px;margin:0}output{display:block;font-size:40px;margin:8px 0}button{font:inherit;padding:6px 12px;margin-right:6px}</style>
<h1>Boxes on the shelf</h1>
<output id="total">3</output>
<button id="add">Add one</button><button id="save">Save</button>
<script>
  let total = 3;
  const shown = document.getElementById("total");
  const change = (by) => { total += by; shown.value = total; };
  document.getElementById("add").onclick = () => change(1);
  addEventListener("message", (e) => {
    if (e.data?.clew !== "port") return;
    const port = e.ports[0];
    port.onmessage = ({ data: { type, id, name, params } }) => {
      if (type === "query" && name === "total") port.postMessage({ type: "answer", id, result: { total } });
      else if (type === "command" && name === "add") { change(params.by); port.postMessage({ type: "answer", id, result: { total } }); }
      else port.postMessage({ type: "answer", id, error: "there is no " + name });
    };
    document.getElementById("save").onclick = () => port.postMessage({ type: "event", action: "save", data: { total } });
    port.postMessage({ type: "ready", app: "counter", queries: ["total"], commands: ["add"] });
  });
</script>`;

/** An app that never says that it is ready, and keeps every key for itself. */
export const mute = `<!doctype html><meta charset="utf-8"><title>Mute</title><label>Field <input id="field"></label>
<script>addEventListener("keydown", (e) => { e.preventDefault(); e.stopImmediatePropagation(); }, true)</script>`;
