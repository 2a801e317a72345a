// Every screen and state of the counter that the fake can show.
export const collectStates = [
  'idle', 'empty', 'demo', 'recovering', 'clone', 'late', 'check-bad',
  'asking', 'asking-long', 'code', 'scanned', 'ran-out', 'paid',
  'code-late', 'closing', 'closing-scanned', 'closing-unsure', 'closed', 'refused', 'offline',
  'charging', 'confirming', 'charged', 'charge-unknown', 'charge-stopping', 'charge-refused', 'charge-closed', 'not-charged',
  'wrong-amount', 'aside', 'long',
]

// Name, page, fake state, address after #.
export const otherScreens = [
  ['orders', 'index.html', 'idle', 'orders'],
  ['orders-detail', 'index.html', 'idle', 'orders/pay-0230'],
  ['orders-closing', 'index.html', 'idle', 'orders/pay-0228'],
  ['orders-empty', 'index.html', 'empty', 'orders'],
  ['orders-refunding', 'index.html', 'idle', 'orders/pay-0227'],
  ['orders-refunded', 'index.html', 'idle', 'orders/pay-0226'],
  ['orders-part-refunded', 'index.html', 'idle', 'orders/pay-0225'],
  ['orders-window-closed', 'index.html', 'idle', 'orders/pay-0223'],
  ['orders-balance-low', 'index.html', 'idle', 'orders/pay-0222'],
  ['orders-refund-found', 'index.html', 'idle', 'orders/pay-0220'],
  ['orders-refund-replaced', 'index.html', 'idle', 'orders/pay-0219'],
  ['resolve', 'index.html', 'idle', 'resolve'],
  ['resolve-empty', 'index.html', 'empty', 'resolve'],
  ['bill-none', 'index.html', 'idle', 'bill/2026-11-29'],
  ['today', 'index.html', 'idle', 'today'],
  ['today-empty', 'index.html', 'empty', 'today'],
  ['cases', 'index.html', 'cases', 'cases'],
  ['cases-amount', 'index.html', 'cases', 'cases/case-2'],
  ['cases-after-stop', 'index.html', 'cases', 'cases/case-3'],
  ['cases-look', 'index.html', 'cases', 'cases/case-4'],
  ['cases-under-way', 'index.html', 'cases', 'cases/case-5'],
  ['cases-empty', 'index.html', 'idle', 'cases'],
  ['settings-store', 'index.html', 'idle', 'settings/store'],
  ['settings-keys', 'index.html', 'idle', 'settings/keys'],
  ['settings-certificates', 'index.html', 'certificates', 'settings/keys'],
  ['settings-people', 'index.html', 'idle', 'settings/people'],
  ['settings-hq', 'index.html', 'idle', 'settings/hq'],
  ['selftest', 'index.html', 'certificates', 'selftest'],
  ['selftest-bad', 'index.html', 'check-bad', 'selftest'],
  ['first-run', 'index.html', 'first', ''],
  ['unlock', 'index.html', 'unlock', ''],
  ['broken-start', 'index.html', 'broken', ''],
  ['customer-idle', 'customer.html', 'idle', ''],
  ['customer-paying', 'customer.html', 'code', ''],
  ['customer-scanned', 'customer.html', 'scanned', ''],
  ['customer-waiting', 'customer.html', 'waiting', ''],
  ['customer-paid', 'customer.html', 'paid', ''],
]

const fill = (page, values) => Object.entries(values).reduce((before, [id, text]) => before.then(() => page.fill(`[data-testid=${id}]`, text)), Promise.resolve())
const forward = (page) => page.click('[data-testid=forward]')
const toKeys = async (page) => {
  await page.click('[data-testid=start-own]')
  await fill(page, { 'store-name': '木禾便利店' })
  await forward(page)
  await page.waitForSelector('[data-testid=app-id]')
}

const openRefund = async (page) => {
  await page.click('[data-testid=refund]')
  await page.waitForSelector('[data-testid=refund-amount]')
}
const pin = (page, digits) => page.fill('[data-testid=pin-field]', digits)
const wrongPins = async (page, times) => {
  for (let n = 0; n < times; n += 1) {
    await pin(page, '000000')
    await page.click('[data-testid=approve]')
    await page.waitForFunction((typed) => document.querySelector('[data-testid=pin-note]').role === 'alert' && document.querySelectorAll('.dots .f').length === typed, 0)
  }
}
const says = (hint) => async (page) => {
  await page.fill('[data-testid=hint]', hint)
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-testid=verdict]')
}
const readBill = async (page) => {
  await page.click('[data-testid=bill-fetch]')
  await page.waitForSelector('.kpis')
}

// Screens that only something done leads to: name, fake state, address after #, what is done.
export const deedScreens = [
  ['first-run-store', 'first', '', (page) => page.click('[data-testid=start-own]')],
  ['first-run-keys', 'first', '', async (page) => {
    await toKeys(page)
    await fill(page, { 'app-id': '2021004170000000', 'private-key': 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'alipay-key': 'OWNIjANBgkqhkiG9w0BAQEFAAOCAQ8A' })
    await forward(page)
    await page.waitForSelector('.ck.bad')
  }],
  ['first-run-certificates', 'first', '', async (page) => {
    await toKeys(page)
    await page.click('[data-testid=mode-certificates]')
    await fill(page, { 'app-id': '2021004170000000', 'private-key': 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'app-certificate': '-----BEGIN CERTIFICATE-----', 'alipay-certificate': '-----BEGIN CERTIFICATE----- OWN' })
    await forward(page)
    await page.waitForSelector('.ck.bad')
  }],
  ['first-run-person', 'first', '', async (page) => {
    await toKeys(page)
    await fill(page, { 'app-id': '2021004170000000', 'private-key': 'MIIEvQ', 'alipay-key': 'MIIBIj' })
    await forward(page)
    await page.waitForSelector('[data-testid=pin]')
  }],
  ['first-run-done', 'first', '', async (page) => {
    await toKeys(page)
    await fill(page, { 'app-id': '2021004170000000', 'private-key': 'MIIEvQ', 'alipay-key': 'MIIBIj' })
    await forward(page)
    await page.waitForSelector('[data-testid=pin]')
    await fill(page, { 'manager-name': '阿周', pin: '482913', passphrase: 'correct horse' })
    await forward(page)
    await page.waitForSelector('[data-testid=recovery]')
  }],
  ['refund', 'idle', 'orders/pay-0229', async (page) => {
    await openRefund(page)
    await pin(page, '4829')
  }],
  ['refund-small', 'idle', 'orders/pay-0230', openRefund],
  ['refund-too-much', 'idle', 'orders/pay-0229', async (page) => {
    await openRefund(page)
    await page.fill('[data-testid=refund-amount]', '1380')
    await page.click('[data-testid=reason-other]')
  }],
  ['refund-wrong-pin', 'idle', 'orders/pay-0229', async (page) => {
    await openRefund(page)
    await wrongPins(page, 1)
  }],
  ['refund-pin-locked', 'idle', 'orders/pay-0229', async (page) => {
    await openRefund(page)
    await wrongPins(page, 5)
  }],
  ['refund-sent', 'idle', 'orders/pay-0229', async (page) => {
    await openRefund(page)
    await pin(page, '482913')
    await page.click('[data-testid=approve]')
    await page.waitForSelector('[data-testid=ask-refund]')
  }],
  ['resolve-paid', 'idle', 'resolve', says('0230')],
  ['resolve-not-paid', 'idle', 'resolve', says('0224')],
  ['resolve-open', 'scanned', 'resolve', says('0231')],
  ['resolve-other', 'idle', 'resolve', says('0228')],
  ['resolve-aside', 'late', 'resolve', says('0228')],
  ['resolve-unreachable', 'offline', 'resolve', says('0231')],
  ['resolve-given-back', 'idle', 'resolve', says('0226')],
  ['resolve-several', 'idle', 'resolve', async (page) => {
    await page.fill('[data-testid=hint]', '1')
    await page.waitForSelector('[data-testid=several]')
  }],
  ['resolve-none', 'idle', 'resolve', async (page) => {
    await page.fill('[data-testid=hint]', '9999')
    await page.waitForSelector('[data-testid=none]')
  }],
  ['decide', 'cases', 'cases', async (page) => {
    await page.click('[data-testid=decide-REFUND]')
    await pin(page, '482')
  }],
  ['decide-look', 'cases', 'cases/case-4', async (page) => {
    await page.click('[data-testid=decide-SEEN]')
    await page.fill('[data-testid=decide-reason]', '商家平台里有这笔，明天再对')
  }],
  ['refund-again', 'idle', 'orders/pay-0222', (page) => page.click('[data-testid=retry-refund]')],
  ['bill-plan', 'idle', 'bill/2026-11-29', readBill],
  ['bill-clean', 'idle', 'bill/2026-11-28', readBill],
  ['bill-applied', 'idle', 'bill/2026-11-29', async (page) => {
    await readBill(page)
    await page.click('[data-testid=bill-apply]')
    await page.waitForSelector('[data-testid=differences] .risk')
  }],
  ['bill-refused', 'idle', 'bill/2026-11-29', async (page) => {
    await page.setInputFiles('[data-testid=bill-file]', { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from([0x89, 0x4e, 0x47]) })
    await page.waitForSelector('[data-testid=refusal]')
  }],
  ['person-new', 'idle', 'settings/people', (page) => page.click('[data-testid=add-person]')],
  ['person-pin', 'idle', 'settings/people', (page) => page.click('[data-testid=pin-of-op-2]')],
  ['person-leaves', 'idle', 'settings/people', (page) => page.click('[data-testid=leave-op-2]')],
  ['people-rules', 'idle', 'settings/people', (page) => page.click('[data-testid=change-rules]')],
  ['same-amount', 'idle', '', async (page) => {
    await page.keyboard.type('26', { delay: 60 })
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-testid=same]')
  }],
  ['settings-keys-checked', 'idle', 'settings/keys', async (page) => {
    await page.waitForSelector('[data-testid=check-keys]')
    await page.click('[data-testid=check-keys]')
    await page.waitForSelector('.ck')
  }],
  ['settings-select', 'idle', 'settings/store', async (page) => {
    await page.waitForSelector('.el-select__wrapper')
    await page.click('.el-select__wrapper')
    await page.waitForSelector('.el-select-dropdown__item:visible')
  }],
  ['settings-hq-enrol', 'empty', 'settings/hq', (page) => page.waitForSelector('[data-testid=enrol]')],
  ['refused-note', 'idle', 'settings/store', async (page) => {
    await fill(page, { 'set-store-name': '新店', 'save-pin': '000000' })
    await page.click('[data-testid=save]')
    await page.waitForSelector('[data-testid=refusal]')
  }],
]

export const languages = ['zh', 'en']
export const themes = ['light', 'dark']

export const addressOf = (origin, file, state, language, theme, hash = '') => `${origin}/${file}?fake=${state}&lang=${language}&theme=${theme}${hash === '' ? '' : `#${hash}`}`
