/** Every sentence of headquarters' page, in Chinese. */
export const zh = {
  app: { name: '一单 · 总部', title: '总部', size: '{stores} 家门店 · {terminals} 台终端' },
  nav: { label: '主导航', today: '今日', payments: '支付单', terminals: '终端', notices: '通知', cases: '待处理' },
  live: { on: '实时', off: '连不上总部，显示的是 {time} 的数', language: 'English', out: '退出' },
  sign: {
    title: '登录总部', line: '看得到所有门店的钱，所以要先知道您是谁。', name: '用户名', password: '密码', in: '登录',
    wrong: '用户名或密码不对', locked: '错了太多次。请 {minutes} 分钟后再试', away: '连不上总部，请稍后再试',
  },
  today: {
    title: '今日收款', day: '{day} {weekday} · 按北京时间', count: '笔数', refunds: '退款', open: '还不确定', suspense: '等人决定',
    store: '门店', terminals: '终端', machines: '{n} 台', hours: '{from} – {to} 时', received: '收款', cases: '待处理', none: '今天还没有上报',
    noStores: '还没有门店', noStoresLine: '到“终端”页生成登记码，收银台登记后就会出现在这里。',
    feed: '刚刚到账', feedLine: '一秒内出现', noFeed: '今天还没有到账', hourBars: '{store}每小时收款', hourLine: '{hour} 时 ¥{amount}',
  },
  payments: {
    title: '支付单', line: '全部门店，按单号、商户订单号、交易号、金额找', search: '找支付单', hint: '单号、商户订单号、交易号末几位、金额', today: '今天', yesterday: '昨天', day: '哪一天', group: '状态', stores: '门店', everyStore: '全部门店',
    all: '全部', paid: '已到账', open: '还不确定', aside: '等人决定',
    time: '时间', store: '门店', order: '单号', number: '商户订单号', state: '状态', trade: '交易号', amount: '金额',
    found: '显示 {n} 笔', more: '更早的', none: '没有找到', noneLine: '换个日子，或少填几个字。', counted: '总部已核实到账 ¥{amount}',
    back: '返回', course: '经过', papers: '凭据', terminal: '终端', proved: '总部核实', provedYes: '¥{amount}，支付宝签名已核对', provedNo: '没有可核对的凭据，不计入合计', refunded: '已退', noTrade: '还没有', hash: '链',
  },
  state: { INIT: '准备收款', PRECREATED: '等顾客扫码', PAYING: '顾客付款中', CLOSING: '已停止，等确认', SUCCESS: '已到账', CLOSED: '已取消', FAIL: '没有出码', SUSPENSE: '等人决定', unproved: '没有证实', refunded: '已退款', partly: '部分退款' },
  kind: {
    collecting: '记下要收的钱', asking: '请支付宝出码', 'code-shown': '二维码已显示', scanned: '顾客已扫码', paid: '钱到了', suspended: '钱到了，但对不上，等人决定', stopping: '要求停止收款', resumed: '继续用同一个码收款',
    closed: '确认不会再有钱，已取消', refused: '支付宝没有出码', refunding: '要退款，先记下再发', refunded: '退款有变化', 'given-back': '总部送回了记录', instructed: '照总部的指示做', noticed: '有情况要看', decided: '有人做了决定', opened: '终端开机', other: '新版终端记下的事',
  },
  told: { QUERY: '支付宝查询答复', NOTIFY: '支付宝通知', PRECREATE: '支付宝出码答复', CLOSE: '支付宝关单答复', CANCEL: '支付宝撤销答复', PAY: '支付宝付款码答复', REFUND: '支付宝退款答复', REFUND_QUERY: '支付宝退款查询答复', other: '支付宝' },
  terminals: {
    title: '终端', line: '每台从第 1 条到最后一条，一条不缺，才算完整', store: '门店', terminal: '终端', epoch: '登记', nth: '第 {n} 代', journal: '流水', range: '范围', verdict: '结论', head: '链头', seen: '最后一次',
    complete: '完整', missing: '待传 {n} 条', silent: '没有消息', revoked: '已停用', never: '还没有', empty: '还没有记录',
    received: '已收到', waiting: '待传', lost: '没有消息',
    none: '还没有终端', noneLine: '生成一个登记码，在收银台输入，就会出现在这里。',
    enrol: '登记新终端', again: '重新登记', revoke: '停用', revokeSure: '停用 {terminal}？它的钥匙立即失效，没传完的流水要等重新登记。', keep: '不停用',
    codeTitle: '登记一台终端', storeId: '门店号', storeIdNote: '字母和数字，例如 S01；会写进每个订单号', storeName: '门店名', makes: '生成登记码', cancel: '取消', close: '完成',
    code: '登记码', codeLine: '在 {terminal} 的收银台上输入。只能用一次，{time} 前有效。', codeOnce: '关掉后就看不到了，需要时再生成一个。',
  },
  notices: {
    title: '通知与推送', line: '支付宝先告诉总部，总部再告诉终端；钱由终端核对、上报', unreported: '支付宝通知过、终端还没上报的钱', none: '没有。支付宝通知过的钱，终端都上报了。', pushes: '推给终端的消息', instructions: '总部的指示',
    store: '门店', till: '终端', number: '商户订单号', trade: '交易号', told: '什么时候', state: '状态', amount: '金额', said: '推了几条', heardTo: '听到第几条', wanted: '要做什么', by: '谁', outcome: '结果',
    wait: { soon: '等终端上报，{n} 分钟', late: '{n} 分钟没上报，已列入待处理', nobodys: '不知道是哪台终端的' },
    hearing: { heard: '都听到了', behind: '{n} 条还没听到', silent: '还没推过', revoked: '已停用' },
  },
  act: { ask: '再问一次支付宝', resolve: '决定一件待处理', refund: '退款', other: '别的事' },
  outcome: { DONE: '做了', REFUSED: '终端没有照做', NOT_UNDERSTOOD: '终端还不懂这个指示', WAITING: '还没回答', other: '别的结果' },
  cases: {
    title: '待处理', line: '{n} 件。钱由它的终端处理，这里看得到来龙去脉', what: '发生了什么', where: '门店 · 单号', proof: '凭据', by: '谁发现的', since: '什么时候', amount: '金额', terminal: '终端报告', hq: '总部核对', none: '没有要处理的', noneLine: '每一分钱都对得上。', trade: '交易号 {number}', noTrade: '没有交易号',
  },
  case: {
    AMOUNT_MISMATCH: '金额不对', CONTRADICTION: '支付宝前后说法不一', DUPLICATE_PAYMENT: '同一单付了两次', LATE_PAYMENT: '已取消的单又收到钱', PAID_AFTER_STOP: '停止以后付成功了', TRADE_VANISHED: '交易查不到了', CLOSED_BUT_ALIVE: '已取消的单还能付',
    CHANNEL_MISSING: '支付宝没有这笔钱', REFUNDED_ELSEWHERE: '在别处退了款', UNPROVED_PAYMENT: '终端说到账，但没有支付宝的证据', UNPROVED_REFUND: '终端说退了款，但没有支付宝的证据', DUPLICATE_REPORT: '一笔交易被报了两次', UNREPORTED_MONEY: '钱到了，终端没有上报', OTHER_HISTORY: '终端的流水和总部的对不上', other: '新版终端报告的事',
  },
}

export type Words = typeof zh
