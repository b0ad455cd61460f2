import { undo } from "@codemirror/commands";
import { EditorView } from "@codemirror/view";
import { expect, test } from "vitest";
import { characters, placeAfter } from "./kernel";
import { changeTo, mount, type EditorProps } from "./mount";

test("places are counted in characters, as a kernel does", () => {
  const code = "s = '🐳'\nst";
  expect(characters(code, code.length)).toBe(10);
  expect(placeAfter(code, 8)).toBe(9);
  expect(placeAfter(code, 10)).toBe(code.length);
});

test("a text from elsewhere changes as little as it can", () => {
  expect(changeTo("one two three", "one 2 three")).toEqual({ from: 4, to: 7, insert: "2" });
  expect(changeTo("aa", "aaa")).toEqual({ from: 2, to: 2, insert: "a" });
  expect(changeTo("same", "same")).toBeNull();
});

test("to undo takes back what one wrote, and not what came from elsewhere", () => {
  const late = (e: Event) => e.stopImmediatePropagation(); // a browser tells of it afterwards, and not amid a change
  document.addEventListener("selectionchange", late, true);
  const host = document.body.appendChild(document.createElement("div"));
  const nothing = () => {};
  const props: EditorProps = {
    text: "a = 1\nb = 1",
    language: "",
    label: "",
    readOnly: false,
    start: "end",
    noInfo: "",
    onChange: nothing,
    onBlur: nothing,
    onRun: nothing,
    onLeave: nothing,
    onEdge: nothing,
  };
  const editor = mount(host, props);
  const view = EditorView.findFromDOM(host)!;
  const text = () => view.state.doc.toString();
  view.dispatch({ changes: { from: text().length, insert: "0" }, userEvent: "input.type" });
  editor.update({ ...props, text: "a = 22\nb = 10" });
  expect(text()).toBe("a = 22\nb = 10");
  expect(undo(view)).toBe(true);
  expect(text()).toBe("a = 22\nb = 1");
  expect(undo(view)).toBe(false);
  editor.destroy();
  host.remove();
  document.removeEventListener("selectionchange", late, true);
});
