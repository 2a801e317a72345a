// Every word of the page in Chinese and English, and which of the two is spoken.
const WORDS = {
  zh: {
    title: "顾客的手机", ribbon: "沙箱 · 没有真钱", buyer: "付款人", codes: "待付的二维码", trades: "交易",
    noCodes: "还没有二维码。收银台下单后会出现在这里。", noTrades: "还没有交易。顾客扫码后才有交易。",
    scan: "扫码", pay: "付款", leave: "离开", expires: "有效至", waiting: "未扫码", refunded: "已退",
    charges: "扣款次数", scanned: "已打开收银页，等待付款", paid: "已付款", left: "已离开，没有付款", offline: "连不上沙箱",
    done: "好了", WAIT_BUYER_PAY: "等待付款", TRADE_SUCCESS: "已支付", TRADE_CLOSED: "已关闭", TRADE_FINISHED: "已完结",
    faults: "故障", faultsHint: "接下来的调用会遇到什么。", method: "接口", anyMethod: "任意接口", kind: "故障", number: "数值", times: "次数",
    add: "加入", clear: "清空", noFaults: "没有排队的故障。",
    lose_answer: "丢失应答（已生效）", drop_before: "中断（未生效）", delay: "延迟应答（毫秒，已生效）", unavailable20000: "20000 服务不可用（未生效）",
    system_error_before: "SYSTEM_ERROR（未生效）", system_error_after: "SYSTEM_ERROR（已生效）", bad_signature: "错误签名", tampered_body: "内容被篡改",
    empty_ok: "空的 200", gbk_html: "GBK 错误页", unsigned: "没有签名", limited40005: "40005 限流（未生效）", wrong_amount: "金额不符（分）",
    retry_flag_y: "撤销返回 retry_flag Y", fund_change_n: "退款返回 fund_change N", no_date_header: "没有 Date 头",
    paycode: "付款码", paycodeHint: "商家扫顾客：一分钟内有效，用一次。", showCode: "出示付款码", outcome: "结果",
    pays: "立即付款", asks_password: "要求输入密码", has_no_money: "余额不足",
    world: "环境", closeBeforeScan: "扫码前关单", latch: "此后扫码被拒", no_effect: "没有影响", time: "时间", minutes: "分钟", reset: "恢复",
    rotate: "更换支付宝证书", merchant: "商户参数与密钥",
  },
  en: {
    title: "Customer's phone", ribbon: "Sandbox · no real money", buyer: "Buyer", codes: "Codes to pay", trades: "Trades",
    noCodes: "No code yet. It appears here once the cashier has made one.", noTrades: "No trade yet. A trade begins with the scan.",
    scan: "Scan", pay: "Pay", leave: "Leave", expires: "valid until", waiting: "Not scanned", refunded: "refunded",
    charges: "charged", scanned: "Cashier page open, waiting for payment", paid: "Paid", left: "Left without paying", offline: "The sandbox cannot be reached",
    done: "Done", WAIT_BUYER_PAY: "Waiting", TRADE_SUCCESS: "Paid", TRADE_CLOSED: "Closed", TRADE_FINISHED: "Finished",
    faults: "Faults", faultsHint: "What the next calls will suffer.", method: "Method", anyMethod: "Any method", kind: "Fault", number: "Number", times: "Times",
    add: "Add", clear: "Clear", noFaults: "No fault is waiting.",
    lose_answer: "Lose the answer (effect done)", drop_before: "Drop the call (no effect)", delay: "Delay the answer (ms, effect done)", unavailable20000: "20000 unavailable (no effect)",
    system_error_before: "SYSTEM_ERROR (no effect)", system_error_after: "SYSTEM_ERROR (effect done)", bad_signature: "Bad signature", tampered_body: "Tampered body",
    empty_ok: "Empty 200", gbk_html: "GBK error page", unsigned: "No signature", limited40005: "40005 limited (no effect)", wrong_amount: "Wrong amount (fen)",
    retry_flag_y: "Cancel says retry_flag Y", fund_change_n: "Refund says fund_change N", no_date_header: "No Date header",
    paycode: "Payment code", paycodeHint: "The merchant scans the buyer: good for a minute, once.", showCode: "Show code", outcome: "Outcome",
    pays: "Pays at once", asks_password: "Asks for the password", has_no_money: "Has no money",
    world: "World", closeBeforeScan: "Close before scan", latch: "Later scans are refused", no_effect: "No effect", time: "Clock", minutes: "min", reset: "Reset",
    rotate: "Rotate Alipay's certificate", merchant: "Merchant values and keys",
  },
};

let language = localStorage.getItem("language") === "en" ? "en" : "zh";

export const word = (key) => WORDS[language][key] ?? key;

export const currentLanguage = () => language;

export function switchLanguage() {
  language = language === "zh" ? "en" : "zh";
  localStorage.setItem("language", language);
}

// Writes the current language into everything marked with data-word.
export function speak() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = word(node.dataset.word);
  document.getElementById("language").textContent = language === "zh" ? "English" : "中文";
  document.title = word("title");
}
