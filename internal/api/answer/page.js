// The page behind an answer link. The token stands in the fragment, which
// browsers send to nobody; it leaves this page only in the body of a request to
// the server that made it. Everything shown is set as text, never as markup.
'use strict';

const token = location.hash.slice(1);
const byId = (id) => document.getElementById(id);
const card = byId('card'), form = byId('form'), detail = byId('detail'), status = byId('status');

function make(tag, text, props) {
  const e = document.createElement(tag);
  if (text !== undefined && text !== null) e.textContent = String(text);
  return Object.assign(e, props || {});
}

function section(title, ...nodes) {
  detail.append(make('h2', title), ...nodes);
}

function pretty(v) {
  return typeof v === 'string' ? v : JSON.stringify(v, null, 2);
}

function block(text) {
  return make('pre', text, { tabIndex: 0 });
}

async function call(path, body) {
  const answer = await fetch(path, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
    credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer',
  });
  const data = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(data.error.message), { code: data.error.code });
  return data;
}

// end shows that there is nothing left to do here.
function end(title, text, look) {
  card.className = look || 'over';
  byId('ask').textContent = title;
  byId('deadline').hidden = true;
  detail.replaceChildren(make('p', text));
  form.hidden = true;
  status.textContent = '';
  byId('ask').focus();
}

function refused(err) {
  switch (err.code) {
    case 'AUTH_FAILED':
      return end('This link does not hold', 'It is not valid, or its time is over, or you may not answer this question any more.');
    case 'HITL_REQUEST_EXPIRED':
      return end('Settled already', 'Somebody answered this question, or its time is over. There is nothing left to do.');
    case undefined:
      say('Not sent: the server cannot be reached. Try again.', true);
      break;
    default:
      say(err.message, true);
  }
  busy(false);
}

function say(text, bad) {
  status.textContent = text;
  status.className = bad ? 'bad' : '';
}

function busy(on) {
  card.setAttribute('aria-busy', String(on));
  for (const b of form.querySelectorAll('button')) b.disabled = on;
}

const said = { approve: 'Approved', reject: 'Rejected', skip: 'Skipped', modify: 'Sent back with your changes' };

async function send(response) {
  busy(true);
  say('Sending…');
  try {
    await call('api/v1/answer', { token, ...response });
    end(said[response.action] || 'Answered', 'Thank you. Your answer is recorded, and you can close this page.', 'done');
  } catch (err) {
    refused(err);
  }
}

function field(label, input) {
  input.id = input.id || 'f' + form.children.length;
  form.append(make('label', label, { htmlFor: input.id }), input);
  return input;
}

function actions(...buttons) {
  const row = make('div', null, { className: 'actions' });
  row.append(...buttons);
  form.append(row);
}

function button(text, look, fn) {
  const b = make('button', text, { type: 'button', className: look });
  b.addEventListener('click', fn);
  return b;
}

const looks = { approve: 'yes', reject: 'no' };
const names = { approve: 'Approve', reject: 'Reject', skip: 'Skip', modify: 'Ask for changes' };

function choices(options, extra) {
  actions(...options.map((o) => button(names[o] || o, looks[o] || '', () => {
    const more = extra(o);
    if (more) send({ action: o, ...more });
  })));
}

// filled leaves out what is empty.
function filled(name, input) {
  const v = input.value.trim();
  return v ? { [name]: v } : {};
}

function showApproval(q) {
  byId('ask').textContent = q.reason || 'May the agent go on?';
  const effect = q.effect || {};
  if (effect.summary && effect.summary !== q.reason) section('What would happen', make('p', effect.summary));
  if (q.todo) section('Step', make('p', q.todo.task));
  if (q.todo && typeof q.todo.estimated_cost_usd === 'number') section('Estimated cost', make('p', '$' + q.todo.estimated_cost_usd.toFixed(2)));
  if (q.tool) section('Tool', make('p', q.tool));
  if (effect.command) section('Command', block(effect.command));
  else if (q.input !== undefined && q.input !== null) section('With', block(pretty(q.input)));
  if (effect.directory) section('In', make('p', effect.directory));
  if (effect.diff) section('Change', block(effect.diff));
  if (q.why) section('Why you are asked', make('p', q.why));
  const comment = field('A word to the agent (optional)', make('textarea', null, { maxLength: 10000 }));
  choices(q.options, () => filled('comment', comment));
}

function showPlan(q) {
  byId('ask').textContent = q.message || 'Is this plan right?';
  const list = make('ol');
  for (const todo of q.plan.todos) {
    const li = make('li', todo.task);
    const notes = [todo.id, todo.tool, todo.depends_on.length ? 'after ' + todo.depends_on.join(', ') : ''].filter(Boolean);
    li.append(make('br'), make('small', notes.join(' · ')));
    list.append(li);
  }
  section('Plan, version ' + q.version, list);
  const cost = q.plan.estimated_cost_usd;
  if (typeof cost === 'number') section('Estimated cost', make('p', '$' + cost.toFixed(2)));
  const words = field('What should change (only to ask for changes)', make('textarea', null, { maxLength: 10000 }));
  choices(q.options, (o) => {
    if (o === 'modify' && !words.value.trim()) {
      say('Say what should change.', true);
      words.focus();
      return null;
    }
    return filled(o === 'modify' ? 'instruction' : 'comment', words);
  });
}

function sendValue(read) {
  return () => {
    const v = read();
    if (v === undefined) {
      say('Please answer first.', true);
    } else {
      send({ value: v });
    }
  };
}

function textOf(input, required) {
  const v = input.value.trim();
  return v || (required ? undefined : null);
}

function showInput(q) {
  byId('ask').textContent = q.question;
  const preset = q.default_value;
  switch (q.input_type) {
    case 'boolean':
      return actions(button('Yes', 'yes', () => send({ value: true })), button('No', '', () => send({ value: false })));
    case 'choice':
      return showChoice(q);
    case 'number': {
      const input = field('Number', make('input', null, { type: 'number', step: 'any', inputMode: 'decimal', value: preset ?? '' }));
      return actions(button('Send', 'yes', sendValue(() => {
        const v = textOf(input, q.required);
        return v ? Number(v) : v;
      })));
    }
    case 'date': {
      const input = field('Date', make('input', null, { type: 'date', value: preset ?? '' }));
      return actions(button('Send', 'yes', sendValue(() => textOf(input, q.required))));
    }
    default:
      return freeText(q, preset ?? '');
  }
}

function freeText(q, preset) {
  const input = field('Your answer', make('textarea', null, { value: preset }));
  actions(button('Send', 'yes', sendValue(() => textOf(input, q.required))));
  return input;
}

function showChoice(q) {
  const radios = (q.options || []).map((o, i) => {
    const radio = make('input', null, { type: 'radio', name: 'option', checked: o.value === q.default_value, id: 'o' + i });
    const label = make('label', null, { className: 'pick', htmlFor: 'o' + i });
    label.append(radio, make('span', o.label || o.value));
    form.append(label);
    return { radio, value: o.value };
  });
  const free = !q.strict && q.ask === 'followup';
  const other = free ? field('Or in your own words', make('textarea')) : null;
  actions(button('Send', 'yes', sendValue(() => {
    if (other && other.value.trim()) return other.value.trim();
    const picked = radios.find((r) => r.radio.checked);
    if (picked) return picked.value;
    return q.required ? undefined : null;
  })));
}

function showClarification(q) {
  byId('ask').textContent = q.question;
  if (q.original_input) section('You said', block(q.original_input));
  if (q.ambiguity) section('What is unclear', make('p', q.ambiguity));
  const row = make('div', null, { className: 'actions' });
  form.append(row);
  const input = freeText(q, '');
  row.append(...q.suggestions.map((s) => button(s, 'suggestion', () => { input.value = s; input.focus(); })));
}

const shows = {
  hitl_approval_request: showApproval, hitl_plan_review: showPlan,
  hitl_input_request: showInput, hitl_clarification: showClarification,
};

// countdown goes by the server's clock: that of this device may be wrong.
function countdown(deadline, now) {
  const skew = Date.now() - now;
  const line = byId('deadline');
  line.hidden = false;
  const tick = () => {
    if (form.hidden) return;
    const left = Math.max(0, Math.ceil((deadline - (Date.now() - skew)) / 1000));
    if (left === 0) return end('Expired', 'Nobody answered in time. There is nothing left to do.');
    const h = Math.floor(left / 3600), m = Math.floor(left / 60) % 60, s = left % 60;
    line.textContent = 'Time left: ' + (h ? h + ' h ' : '') + (h || m ? m + ' min ' : '') + (h ? '' : s + ' s');
    setTimeout(tick, 1000);
  };
  tick();
}

async function start() {
  form.addEventListener('submit', (e) => e.preventDefault());
  form.addEventListener('input', () => say(''));
  try {
    const look = await call('api/v1/answer/look', { token });
    const q = look.question;
    byId('session').textContent = look.title;
    form.hidden = false;
    (shows[q.type] || showApproval)(q);
    if (q.deadline_ms) countdown(q.deadline_ms, look.now_ms);
    card.setAttribute('aria-busy', 'false');
  } catch (err) {
    if (err.code === undefined) byId('ask').textContent = 'The question cannot be shown right now';
    refused(err.code === undefined ? Object.assign(err, { code: '', message: 'The server cannot be reached. Load this page again.' }) : err);
  }
}

window.addEventListener('hashchange', () => location.reload());
start();
