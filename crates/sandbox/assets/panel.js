// The panel below the phone: faults to come, payment codes, the clock and the switches.
import { ask, button, find, make, tell } from "./parts.js";
import { word } from "./words.js";

const METHODS = [
  "alipay.trade.precreate", "alipay.trade.query", "alipay.trade.close", "alipay.trade.cancel", "alipay.trade.refund",
  "alipay.trade.fastpay.refund.query", "alipay.trade.pay", "alipay.data.dataservice.bill.downloadurl.query",
];
const KINDS = [
  "lose_answer", "drop_before", "delay", "unavailable20000", "system_error_before", "system_error_after", "bad_signature",
  "tampered_body", "empty_ok", "gbk_html", "unsigned", "limited40005", "wrong_amount", "retry_flag_y", "fund_change_n", "no_date_header",
];
const WITH_NUMBER = { delay: 3000, wrong_amount: 1 };
const OUTCOMES = ["pays", "asks_password", "has_no_money"];

function choices(id, values, label) {
  const select = find(id);
  const chosen = select.value || values[0];
  select.replaceChildren(...values.map((value) => new Option(label(value), value)));
  select.value = chosen;
}

function kindOf(fault) {
  return typeof fault.kind === "string" ? [fault.kind, ""] : Object.entries(fault.kind)[0];
}

function faultLine(fault) {
  const [kind, number] = kindOf(fault);
  const line = make("li", "row");
  line.append(make("span", "", `${word(kind)} ${number}`), make("span", "small num", `${fault.method ?? word("anyMethod")} × ${fault.times}`));
  return line;
}

export function showFaults(faults) {
  find("fault-queue").replaceChildren(...faults.map(faultLine));
  find("no-faults").hidden = faults.length > 0;
}

function numberChanged() {
  const kind = find("fault-kind").value;
  find("fault-number-label").hidden = !(kind in WITH_NUMBER);
  find("fault-number").value = WITH_NUMBER[kind] ?? 0;
}

async function addFault() {
  const kind = find("fault-kind").value;
  const method = find("fault-method").value;
  const fault = {
    method: method === "" ? null : method,
    kind: kind in WITH_NUMBER ? { [kind]: Number(find("fault-number").value) } : kind,
    times: Number(find("fault-times").value),
  };
  const queue = await tell("fault", fault, "done");
  if (queue) showFaults(queue);
}

async function clearFaults() {
  await tell("fault", undefined, "done", "DELETE");
  showFaults(await ask("fault"));
}

async function showCode() {
  const wish = { buyer: find("buyer").value.trim(), outcome: find("outcome").value };
  const shown = await tell("code", wish, "done");
  if (shown) find("auth-code").textContent = shown.auth_code.replace(/(\d{4})(?=\d)/g, "$1 ");
}

async function turnClock(minutes) {
  const { offset_ms } = await ask("clock");
  await tell("clock", { offset_ms: minutes === 0 ? 0 : offset_ms + minutes * 60000 }, "done");
}

function clockButtons() {
  const steps = [-10, 1, 10, 60, 1440].map((minutes) => {
    const step = button("", "", true, () => turnClock(minutes));
    step.textContent = `${minutes > 0 ? "+" : ""}${minutes} ${word("minutes")}`;
    return step;
  });
  find("clock-steps").replaceChildren(...steps, button("reset", "", true, () => turnClock(0)));
}

// Writes the panel's words and choices in the current language.
export function showPanel() {
  choices("fault-method", ["", ...METHODS], (method) => method || word("anyMethod"));
  choices("fault-kind", KINDS, word);
  choices("outcome", OUTCOMES, word);
  choices("close-before-scan", ["no_effect", "latch"], word);
  clockButtons();
  numberChanged();
}

export async function startPanel() {
  showPanel();
  find("fault-kind").addEventListener("change", numberChanged);
  find("fault-add").addEventListener("click", addFault);
  find("fault-clear").addEventListener("click", clearFaults);
  find("show-code").addEventListener("click", showCode);
  find("rotate").addEventListener("click", () => tell("certificate/rotate", {}, "done"));
  find("close-before-scan").addEventListener("change", () => tell("settings", { close_before_scan: find("close-before-scan").value }, "done"));
  const settings = await ask("settings");
  find("close-before-scan").value = settings.close_before_scan;
}
