import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The shop's checkout before an agent repaired it, and after. */
export const orders = {
  before: `from .models import Order


def checkout(cart, payment, session):
    order = create_order(cart, session)
    reply = payment.charge(order.total)
    save_reply(order, reply)
    return order


def create_order(cart, session):
    order = Order(lines=cart.lines)
    session.add(order)
    session.flush()
    return order


def total(cart):
    return sum(line.price * line.count for line in cart.lines)


def discount(cart, code):
    if code is None:
        return 0
    return min(code.amount, total(cart))


def save_reply(order, reply):
    order.status = reply.status
    order.paid_at = reply.time
`,
  after: `from .models import Order, Status


def checkout(cart, payment, session):
    key = cart.request_key
    saved = find_by_key(session, key)
    if saved is not None:
        return saved  # a repeated request
    order = create_order(cart, key, session)
    reply = payment.charge(order.total, key)
    save_reply(order, reply)
    return order


def create_order(cart, key, session):
    order = Order(lines=cart.lines)
    order.request_key = key
    session.add(order)
    session.commit()
    return order


def total(cart):
    return sum(line.price * line.count for line in cart.lines)


def discount(cart, code):
    if code is None:
        return 0
    return min(code.amount, total(cart))


def save_reply(order, reply):
    order.status = Status.of(reply)
    order.paid_at = reply.time
`,
};

export const models = {
  before: `class Order(Base):
    id = column(String, primary_key=True)
    lines = relation("Line")
`,
  after: `class Order(Base):
    id = column(String, primary_key=True)
    request_key = column(String, unique=True)
    created_at = column(DateTime, default=now)
    lines = relation("Line")
`,
};

export const migration = `def upgrade():
    add_column("orders", "request_key", String)
    add_index("orders", "request_key", unique=True)


def downgrade():
    drop_index("orders", "request_key")
    drop_column("orders", "request_key")
`;

export const tests = {
  before: `def test_checkout(client):
    first = post(client, cart)
    assert first.status == "paid"
`,
  after: `def test_checkout(client):
    first = post(client, cart)
    assert first.status == "paid"


def test_retry_returns_same_order(client):
    key = {"Request-Key": "k-1042"}
    first = client.post("/checkout", json=cart, headers=key)
    second = client.post("/checkout", json=cart, headers=key)
    assert second.id == first.id
    assert Order.count() == 1
`,
};

/** The shop's test runner, which knows what its database lacks. */
const pytest = `#!/bin/sh
for n in 01 02 03 04 05 06 07 08 09 10 11; do echo "tests/test_checkout.py::test_$n PASSED"; done
cat <<'END'
    def test_retry_returns_same_order(client):
>       second = client.post("/checkout", json=cart, headers=key)
E       sqlite3.OperationalError: no such column: orders.request_key
tests/test_checkout.py:41: OperationalError
1 failed, 11 passed
END
exit 1
`;

const files: Record<string, string> = {
  "storefront/checkout/orders.py": orders.before,
  "storefront/checkout/models.py": models.before,
  "storefront/tests/test_checkout.py": tests.before,
  "storefront/bin/pytest": pytest,
  "storefront/search.py": "def find(words):\n    return [p for p in products() if words in p.name]\n",
  "storefront/README.md": "# Storefront\n",
  "demand-study/README.md": "# Demand study\n",
  "demand-study/suppliers.csv": "name,city\nNordlicht Paper,Bremen\n",
};

/** A person's home with two projects, one of them in Git. */
export class Home {
  readonly dir = mkdtempSync(join(tmpdir(), "clew-tour-"));
  readonly storefront = join(this.dir, "storefront");
  readonly study = join(this.dir, "demand-study");

  constructor() {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.dir, name)), { recursive: true });
      writeFileSync(join(this.dir, name), text);
    }
    chmodSync(join(this.storefront, "bin/pytest"), 0o755);
    execFileSync("git", ["init", "-q", "-b", "main", this.storefront]);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
