// Plays the customer's phone through the control API. All truth is asked from the sandbox; nothing is kept here.
"use strict";

const WORDS = {
  zh: {
    title: "顾客的手机", ribbon: "沙箱 · 没有真钱", buyer: "付款人", codes: "待付的二维码", trades: "交易",
    noCodes: "还没有二维码。收银台下单后会出现在这里。", noTrades: "还没有交易。顾客扫码后才有交易。",
    scan: "扫码", pay: "付款", leave: "离开", expires: "有效至", waiting: "未扫码", refunded: "已退",
    charges: "扣款次数", scanned: "已打开收银页，等待付款", paid: "已付款", left: "已离开，没有付款", offline: "连不上沙箱",
    WAIT_BUYER_PAY: "等待付款", TRADE_SUCCESS: "已支付", TRADE_CLOSED: "已关闭", TRADE_FINISHED: "已完结",
  },
  en: {
    title: "Customer's phone", ribbon: "Sandbox · no real money", buyer: "Buyer", codes: "Codes to pay", trades: "Trades",
    noCodes: "No code yet. It appears here once the cashier has made one.", noTrades: "No trade yet. A trade begins with the scan.",
    scan: "Scan", pay: "Pay", leave: "Leave", expires: "valid until", waiting: "Not scanned", refunded: "refunded",
    charges: "charged", scanned: "Cashier page open, waiting for payment", paid: "Paid", left: "Left without paying", offline: "The sandbox cannot be reached",
    WAIT_BUYER_PAY: "Waiting", TRADE_SUCCESS: "Paid", TRADE_CLOSED: "Closed", TRADE_FINISHED: "Finished",
  },
};
const TAGS = { WAIT_BUYER_PAY: "wait", TRADE_SUCCESS: "paid", TRADE_FINISHED: "paid", TRADE_CLOSED: "closed" };

let language = localStorage.getItem("language") === "en" ? "en" : "zh";
let shown = "";

const find = (id) => document.getElementById(id);
const word = (key) => WORDS[language][key] ?? key;

function make(tag, className, text) {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text ?? "";
  return node;
}

function yuan(fen) {
  return `¥${Math.trunc(fen / 100)}.${String(fen % 100).padStart(2, "0")}`;
}

function beijing(ms) {
  return new Date(ms + 8 * 3600 * 1000).toISOString().slice(5, 19).replace("T", " ");
}

function say(text, mood) {
  find("notice").textContent = text;
  find("notice").className = mood;
}

async function ask(path, body) {
  const options = body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(`/sandbox/${path}`, options || {});
  const text = await response.text();
  const answer = text && JSON.parse(text);
  if (!response.ok) throw new Error(`${answer.code}: ${answer.message}`);
  return answer;
}

async function act(path, body, done) {
  try {
    await ask(path, { ...body, buyer: find("buyer").value.trim() });
    say(word(done), "good");
  } catch (trouble) {
    say(trouble.message, "bad");
  }
  await refresh();
}

function button(key, className, enabled, onClick) {
  const node = make("button", className, word(key));
  node.type = "button";
  node.disabled = !enabled;
  node.addEventListener("click", onClick);
  return node;
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
  const number = session.out_trade_no;
  const acts = make("div", "acts");
  acts.append(
    button("scan", isScanned ? "" : "main", true, () => act("scan", { qr_code: session.qr_code }, "scanned")),
    button("pay", isScanned ? "main" : "", isScanned, () => act("pay", { out_trade_no: number }, "paid")),
    button("leave", "", isScanned, () => act("leave", { out_trade_no: number }, "left")),
  );
  card.append(head, facts, make("div", "small num", `${number} · ${session.qr_code}`), acts);
  return card;
}

function tradeCard(trade) {
  const card = make("li", "");
  const head = make("div", "row");
  head.append(make("span", "", trade.subject), make("span", `tag ${TAGS[trade.status]}`, word(trade.status)));
  const money = make("div", "row");
  const refunded = trade.refunded_fen > 0 ? ` · ${word("refunded")} ${yuan(trade.refunded_fen)}` : "";
  money.append(make("span", "small", `${trade.buyer} · ${word("charges")} ${trade.charges}${refunded}`), make("span", "num", yuan(trade.total_fen)));
  card.append(head, money, make("div", "small num", `${trade.out_trade_no} · ${trade.trade_no}`));
  return card;
}

function show(sessions, trades) {
  const open = sessions.filter((session) => session.is_open);
  find("codes").replaceChildren(...open.map(codeCard));
  find("no-codes").hidden = open.length > 0;
  find("trades").replaceChildren(...trades.slice(-50).reverse().map(tradeCard));
  find("no-trades").hidden = trades.length > 0;
}

async function refresh() {
  try {
    const [sessions, trades, clock] = await Promise.all([ask("sessions"), ask("trades"), ask("clock")]);
    find("clock").textContent = clock.beijing;
    const next = JSON.stringify([language, sessions, trades]);
    if (next !== shown) show(sessions, trades);
    shown = next;
  } catch {
    say(word("offline"), "bad");
  }
}

function speak() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = word(node.dataset.word);
  find("language").textContent = language === "zh" ? "English" : "中文";
  document.title = word("title");
}

find("language").addEventListener("click", () => {
  language = language === "zh" ? "en" : "zh";
  localStorage.setItem("language", language);
  speak();
  refresh();
});

speak();
refresh();
setInterval(refresh, 1000);
