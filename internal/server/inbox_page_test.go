package server_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// browser is a headless chromium with one page, driven by its own protocol.
type browser struct {
	t    *testing.T
	c    *websocket.Conn
	next int
	page string // the page's session
}

func openBrowser(t *testing.T) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("CI installs chromium, and it is not there")
		}
		t.Skip("chromium is not installed")
	}
	// Not that of the test: it ends before the clean-up, and would kill the browser
	// while its other processes still write into its directory.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	cmd := exec.CommandContext(ctx, path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", "about:blank")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	address := ""
	for lines := bufio.NewScanner(stderr); address == "" && lines.Scan(); {
		_, address, _ = strings.Cut(lines.Text(), "DevTools listening on ")
	}
	if address == "" {
		t.Fatal("chromium did not say where it listens")
	}
	gone := make(chan struct{}) // closed when the last of its processes is: they all hold stderr
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, stderr)
	}()
	c, resp, err := websocket.Dial(ctx, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Body != nil {
		_ = resp.Body.Close()
	}
	c.SetReadLimit(64 << 20)
	b := &browser{t: t, c: c}
	t.Cleanup(func() { // it ends by itself, with all its processes, so that its directory can go
		b.next++
		_ = c.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"id":%d,"method":"Browser.close"}`, b.next))
		for err == nil {
			_, _, err = c.Read(ctx)
		}
		select {
		case <-gone:
		case <-ctx.Done():
		}
		_ = cmd.Wait()
	})
	target := b.do("Target.createTarget", map[string]any{"url": "about:blank"})
	b.page = b.do("Target.attachToTarget", map[string]any{"targetId": target["targetId"], "flatten": true})["sessionId"].(string)
	b.do("Page.enable", nil)
	b.do("Log.enable", nil)
	return b
}

// do calls a method and passes over what else the browser says.
func (b *browser) do(method string, params map[string]any) map[string]any {
	b.t.Helper()
	b.next++
	frame := map[string]any{"id": b.next, "method": method, "params": params}
	if b.page != "" {
		frame["sessionId"] = b.page
	}
	out, err := json.Marshal(frame)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.c.Write(b.t.Context(), websocket.MessageText, out); err != nil {
		b.t.Fatal(err)
	}
	for {
		_, in, err := b.c.Read(b.t.Context())
		if err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		var m struct {
			ID     int             `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
			Result map[string]any  `json:"result"`
			Error  any             `json:"error"`
		}
		if err := json.Unmarshal(in, &m); err != nil {
			b.t.Fatal(err)
		}
		if m.Method == "Log.entryAdded" && strings.Contains(string(m.Params), `"error"`) && !strings.Contains(string(m.Params), `"network"`) {
			b.t.Errorf("the page has a fault: %s", m.Params)
		}
		if m.ID == b.next {
			if m.Error != nil {
				b.t.Fatalf("%s: %v", method, m.Error)
			}
			return m.Result
		}
	}
}

// eval gives the value of an expression in the page.
func (b *browser) eval(expression string) any {
	b.t.Helper()
	r := b.do("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true})
	if r["exceptionDetails"] != nil {
		b.t.Fatalf("%s: %v", expression, r["exceptionDetails"])
	}
	return r["result"].(map[string]any)["value"]
}

// until waits for an expression to hold.
func (b *browser) until(expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		if b.eval(expression) == true {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("never: %s\n%v", expression, b.eval("document.body.innerText"))
		}
		b.eval("new Promise(r => setTimeout(r, 50))") // another process: nothing else tells
	}
}

func (b *browser) open(url string) {
	b.t.Helper()
	b.do("Page.navigate", map[string]any{"url": "about:blank"})
	b.do("Page.navigate", map[string]any{"url": url})
	b.until(`document.readyState === 'complete' && document.getElementById('card') !== null && document.getElementById('ask').textContent !== 'One moment…'`)
}

// screen sets the window's width and the colours, and takes a picture if
// CLEW_TEST_PICTURES names a directory for it.
func (b *browser) screen(name string) {
	b.t.Helper()
	for _, width := range []int{1440, 390} {
		b.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500})
		for _, scheme := range []string{"light", "dark"} {
			b.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}})
			if b.eval("document.documentElement.scrollWidth <= innerWidth") != true {
				b.t.Errorf("%s is wider than %d pixels", name, width)
			}
			small := `[...document.querySelectorAll('button, textarea, input:not([type=radio])')].filter(e => e.offsetParent && e.offsetHeight < 44).length`
			if n := b.eval(small); n != 0.0 {
				b.t.Errorf("%s has %v targets that a finger misses", name, n)
			}
			dir := os.Getenv("CLEW_TEST_PICTURES")
			if dir == "" {
				continue
			}
			shot, err := base64.StdEncoding.DecodeString(b.do("Page.captureScreenshot", nil)["data"].(string))
			if err != nil {
				b.t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%s-%d.png", name, scheme, width)), shot, 0o600); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}

func (b *browser) click(label string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll('button')].find(b => b.textContent === %q)`, label)
	at := b.eval("(() => { const e = " + find + "; e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()").(map[string]any)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at["x"], "y": at["y"], "button": "left", "clickCount": 1})
	}
}

// A person opens the link of a notice on whatever device and answers with a
// click.
func TestAnswerPageInABrowser(t *testing.T) {
	b := openBrowser(t)
	st, hook := notified(t)
	ask := func(text string) (session, url string) {
		session = st.session()
		st.say(session, text)
		return session, hook.next(t).body.AnswerURL
	}

	id, url := ask("Deploy version 1.4 to production?")
	b.open(url)
	if text := b.eval("document.body.innerText").(string); !strings.Contains(text, "Deploy version 1.4") || !strings.Contains(text, "<b>& more</b>") {
		t.Errorf("the page says %s", text)
	}
	if b.eval("document.querySelectorAll('#detail b').length") != 0.0 {
		t.Error("what a tool said became markup")
	}
	b.screen("approval")
	b.eval("document.querySelector('textarea').value = 'after lunch'")
	b.click("Approve")
	b.until("document.getElementById('ask').textContent === 'Approved'")
	b.screen("done")
	if r := st.call(st.token, "GET", "/api/v1/sessions/"+id+"/messages", nil); !strings.Contains(r.raw, "after lunch") {
		t.Errorf("the transcript is %s", r.raw)
	}
	b.open(url)
	if b.eval("document.getElementById('ask').textContent") != "Settled already" {
		t.Error("the link can be used twice")
	}
	b.screen("settled")

	_, url = ask(`{"field":"region","question":"Which region shall it run in?","input_type":"choice","required":true,"strict":true,
		"options":[{"value":"eu","label":"Europe (Frankfurt)"},{"value":"us","label":"United States (Oregon)"},{"value":7,"label":"Asia (Seoul)"}]}`)
	b.open(url)
	b.click("Send")
	b.until("document.getElementById('status').textContent === 'Please answer first.'")
	b.eval("document.getElementById('o2').click()")
	b.screen("choice")
	b.click("Send")
	b.until("document.getElementById('ask').textContent === 'Answered'")

	for _, q := range [][2]string{{"number", "4.5"}, {"date", "2026-12-24"}, {"text", "well"}} {
		_, url = ask(`{"field":"f","question":"And?","input_type":"` + q[0] + `","required":true}`)
		b.open(url)
		b.eval("document.querySelector('#form input, #form textarea').value = '" + q[1] + "'")
		b.click("Send")
		b.until("document.getElementById('ask').textContent === 'Answered'")
	}
	_, url = ask(`{"field":"f","question":"Yes or no?","input_type":"boolean","required":true}`)
	b.open(url)
	b.click("No")
	b.until("document.getElementById('ask').textContent === 'Answered'")

	b.open(st.s.URL() + "/answer#made-up.token")
	if b.eval("document.getElementById('ask').textContent") != "This link does not hold" {
		t.Error("a made-up token is taken")
	}
	b.screen("refused")
	if r := st.call(st.token, "GET", "/api/v1/inbox", nil); r.body["counts"].(map[string]any)["total"] != 0.0 {
		t.Errorf("left open: %s", r.raw)
	}
}
