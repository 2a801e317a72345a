import type { Words } from './zh'

/** Every sentence of headquarters' page, in English. */
export const en: Words = {
  app: { name: 'Yidan · Headquarters', title: 'Headquarters', size: '{stores} stores · {terminals} tills' },
  nav: { label: 'Main', today: 'Today', payments: 'Payments', terminals: 'Tills', notices: 'Notices', cases: 'Cases' },
  live: { on: 'Live', off: 'No connection. Figures of {time}', language: '中文', out: 'Sign out' },
  sign: {
    title: 'Sign in to headquarters', line: "All stores' money is shown here, so we have to know who you are.", name: 'Name', password: 'Password', in: 'Sign in',
    wrong: 'The name or the password is wrong', locked: 'Too many wrong passwords. Try again in {minutes} min', away: 'No connection. Try again later',
  },
  today: {
    title: 'Received today', day: '{day} {weekday} · Beijing time', count: 'Payments', refunds: 'Refunded', open: 'Not sure yet', suspense: 'To be decided',
    store: 'Store', terminals: 'Tills', machines: '{n}', hours: '{from} – {to} h', received: 'Received', cases: 'Cases', none: 'nothing reported today',
    noStores: 'No stores yet', noStoresLine: 'Make a code under Tills; a counter that enrols with it appears here.',
    feed: 'Just paid', feedLine: 'within a second', noFeed: 'No money yet today', hourBars: '{store}: received per hour', hourLine: '{hour} h ¥{amount}',
  },
  payments: {
    title: 'Payments', line: 'All stores, by order, number, trade or amount', search: 'Find payments', hint: 'Order, number, end of the trade number, amount', today: 'Today', yesterday: 'Yesterday', day: 'Day', group: 'State', stores: 'Store', everyStore: 'All stores',
    all: 'All', paid: 'Paid', open: 'Not sure yet', aside: 'To be decided',
    time: 'Time', store: 'Store', order: 'Order', number: 'out_trade_no', state: 'State', trade: 'Trade', amount: 'Amount',
    found: '{n} shown', more: 'Earlier', none: 'Nothing found', noneLine: 'Try another day, or fewer letters.', counted: 'Proved by headquarters ¥{amount}',
    back: 'Back', course: 'What happened', papers: 'Papers', terminal: 'Till', proved: 'Headquarters', provedYes: "¥{amount}, Alipay's signature checked", provedNo: 'No proof that could be checked: in no total', refunded: 'Refunded', noTrade: 'none yet', hash: 'chain',
  },
  state: { INIT: 'Starting', PRECREATED: 'Code shown', PAYING: 'Customer pays', CLOSING: 'Stopped, checking', SUCCESS: 'Paid', CLOSED: 'Cancelled', FAIL: 'No code', SUSPENSE: 'To be decided', unproved: 'Not proved', refunded: 'Refunded', partly: 'Partly refunded' },
  kind: {
    collecting: 'Wrote down what to collect', asking: 'Asked Alipay for a code', 'code-shown': 'The code was shown', scanned: 'The customer scanned', paid: 'The money came', suspended: 'Money came and does not fit: somebody decides', stopping: 'Asked to stop', resumed: 'Went on with the same code',
    closed: 'Proved that no money can come: cancelled', refused: 'Alipay gave no code', refunding: 'A refund is wanted and written down', refunded: 'A refund changed', 'given-back': 'Headquarters gave the record back', instructed: 'Done as headquarters said', noticed: 'Something to look at', decided: 'Somebody decided', opened: 'The till started', other: 'Something a newer till wrote',
  },
  told: { QUERY: "Alipay's answer to a query", NOTIFY: "Alipay's notice", PRECREATE: "Alipay's answer with the code", CLOSE: "Alipay's answer to close", CANCEL: "Alipay's answer to cancel", PAY: "Alipay's answer to a payment code", REFUND: "Alipay's answer to a refund", REFUND_QUERY: "Alipay's answer to a refund query", other: 'Alipay' },
  terminals: {
    title: 'Tills', line: 'Complete means every line from the first to the last', store: 'Store', terminal: 'Till', epoch: 'Enrolled', nth: 'epoch {n}', journal: 'Journal', range: 'Lines', verdict: 'Verdict', head: 'Head', seen: 'Last seen',
    complete: 'complete', missing: '{n} to come', silent: 'silent', revoked: 'revoked', never: 'never', empty: 'no lines yet',
    received: 'here', waiting: 'to come', lost: 'silent',
    none: 'No tills yet', noneLine: 'Make a code and type it at the counter: it appears here.',
    enrol: 'Enrol a till', again: 'Enrol again', revoke: 'Revoke', revokeSure: 'Revoke {terminal}? Its key stops working at once; what it has not sent waits until it enrols again.', keep: 'Keep it',
    codeTitle: 'Enrol a till', storeId: 'Store id', storeIdNote: 'Letters and digits, such as S01; part of every number', storeName: 'Name of the store', makes: 'Make a code', cancel: 'Cancel', close: 'Done',
    code: 'Enrolment code', codeLine: 'Type it at the counter of {terminal}. It works once, until {time}.', codeOnce: 'It is not shown again. If you need one, make another.',
  },
  notices: {
    title: 'Notices', line: 'Alipay tells headquarters, which tells the till; the till checks and reports', unreported: 'Money that Alipay told of and no till has reported', none: 'None: all money that Alipay told of is reported.', pushes: 'What the tills were told', instructions: 'What headquarters wanted done',
    store: 'Store', till: 'Till', number: 'out_trade_no', trade: 'Trade', told: 'When', state: 'State', amount: 'Amount', said: 'Told', heardTo: 'Heard to', wanted: 'What', by: 'Who', outcome: 'Outcome',
    wait: { soon: 'to be reported, {n} min', late: 'not reported for {n} min: a case', nobodys: 'no known till' },
    hearing: { heard: 'all heard', behind: '{n} not heard yet', silent: 'nothing yet', revoked: 'revoked' },
  },
  act: { ask: 'Ask Alipay once more', resolve: 'Decide a case', refund: 'Give money back', other: 'Something else' },
  outcome: { DONE: 'done', REFUSED: 'refused by the till', NOT_UNDERSTOOD: 'the till does not know it', WAITING: 'no answer yet', other: 'something else' },
  cases: {
    title: 'Cases', line: '{n} open. Money is handled at its till; the story is here', what: 'What happened', where: 'Store · order', proof: 'Proof', by: 'Found by', since: 'Since', amount: 'Amount', terminal: 'the till', hq: 'headquarters', none: 'Nothing to do', noneLine: 'Every fen is accounted for.', trade: 'trade {number}', noTrade: 'no trade number',
  },
  case: {
    AMOUNT_MISMATCH: 'A wrong amount', CONTRADICTION: 'Alipay contradicts itself', DUPLICATE_PAYMENT: 'Paid twice', LATE_PAYMENT: 'Money on a cancelled order', PAID_AFTER_STOP: 'Paid after it was stopped', TRADE_VANISHED: 'A trade has vanished', CLOSED_BUT_ALIVE: 'A cancelled order can still be paid',
    CHANNEL_MISSING: 'Alipay does not know this money', REFUNDED_ELSEWHERE: 'Refunded elsewhere', UNPROVED_PAYMENT: "The till says paid, without Alipay's proof", UNPROVED_REFUND: "The till says refunded, without Alipay's proof", DUPLICATE_REPORT: 'One trade was reported twice', UNREPORTED_MONEY: 'Money came and the till has not reported it', OTHER_HISTORY: "The till's journal is not the one known here", other: 'Something a newer till reported',
  },
}
