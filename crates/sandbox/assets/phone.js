// Plays the customer's phone through the control API. All truth is asked from the sandbox; nothing is kept here.
import { showFaults, showPanel, startPanel } from "./panel.js";
import { ask, beijing, button, find, make, say, tell, yuan } from "./parts.js";
import { currentLanguage, speak, switchLanguage, word } from "./words.js";

const TAGS = { WAIT_BUYER_PAY: "wait", TRADE_SUCCESS: "paid", TRADE_FINISHED: "paid", TRADE_CLOSED: "closed" };

let shown = "";

async function act(path, body, done) {
  await tell(path, { ...body, buyer: find("buyer").value.trim() }, done);
  await refresh();
}

function payAndLeave(number, isScanned) {
  return [
    button("pay", isScanned ? "main" : "", isScanned, () => act("pay", { out_trade_no: number }, "paid")),
    button("leave", "", isScanned, () => act("leave", { out_trade_no: number }, "left")),
  ];
}

function codeCard(session) {
  const card = make("li", "");
  const isScanned = session.trade_status === "WAIT_BUYER_PAY";
  const head = make("div", "row");
  head.append(make("span", "", session.subject), make("span", "amount num", yuan(session.total_fen)));
  const facts = make("div", "row");
  facts.append(
    make("span", "small num", `${word("expires")} ${beijing(session.qr_expires_at_ms)}`),
    make("span", `tag ${isScanned ? "wait" : ""}`, isScanned ? `${word("WAIT_BUYER_PAY")} · ${session.buyer}` : word("waiting")),
  );
  const acts = make("div", "acts");
  const scan = () => act("scan", { qr_code: session.qr_code }, "scanned");
  acts.append(button("scan", isScanned ? "" : "main", true, scan), ...payAndLeave(session.out_trade_no, isScanned));
  const numbers = [session.out_trade_no, session.qr_code].map((text) => make("div", "small num", text));
  card.append(head, facts, ...numbers, acts);
  return card;
}

function tradeCard(trade, hasCode) {
  const card = make("li", "");
  const head = make("div", "row");
  head.append(make("span", "", trade.subject), make("span", `tag ${TAGS[trade.status]}`, word(trade.status)));
  const money = make("div", "row");
  const refunded = trade.refunded_fen > 0 ? ` · ${word("refunded")} ${yuan(trade.refunded_fen)}` : "";
  money.append(make("span", "small", `${trade.buyer} · ${word("charges")} ${trade.charges}${refunded}`), make("span", "num", yuan(trade.total_fen)));
  card.append(head, money, make("div", "small num", `${trade.out_trade_no} · ${trade.trade_no}`));
  if (trade.status === "WAIT_BUYER_PAY" && !hasCode) {
    const acts = make("div", "acts");
    acts.append(...payAndLeave(trade.out_trade_no, true));
    card.append(acts);
  }
  return card;
}

function show(sessions, trades) {
  const open = sessions.filter((session) => session.is_open);
  const withCode = new Set(open.map((session) => session.out_trade_no));
  find("codes").replaceChildren(...open.map(codeCard));
  find("no-codes").hidden = open.length > 0;
  find("trades").replaceChildren(...trades.slice(-50).reverse().map((trade) => tradeCard(trade, withCode.has(trade.out_trade_no))));
  find("no-trades").hidden = trades.length > 0;
}

async function refresh() {
  try {
    const [sessions, trades, clock, faults] = await Promise.all(["sessions", "trades", "clock", "fault"].map((path) => ask(path)));
    find("clock").textContent = clock.beijing;
    const next = JSON.stringify([currentLanguage(), sessions, trades, faults]);
    if (next === shown) return;
    show(sessions, trades);
    showFaults(faults);
    shown = next;
  } catch {
    say(word("offline"), "bad");
  }
}

find("language").addEventListener("click", () => {
  switchLanguage();
  speak();
  showPanel();
  refresh();
});

speak();
startPanel();
refresh();
setInterval(refresh, 1000);
