// Every screen and state of the counter that the fake can show.
export const collectStates = [
  'idle', 'empty', 'demo', 'recovering', 'clone', 'late', 'check-bad',
  'asking', 'asking-long', 'code', 'scanned', 'ran-out', 'paid',
  'code-late', 'closing', 'closing-scanned', 'closing-unsure', 'closed', 'refused', 'offline',
  'wrong-amount', 'aside', 'long',
]

// Name, page, fake state, address after #.
export const otherScreens = [
  ['orders', 'index.html', 'idle', 'orders'],
  ['orders-detail', 'index.html', 'idle', 'orders/pay-0230'],
  ['orders-closing', 'index.html', 'idle', 'orders/pay-0228'],
  ['orders-empty', 'index.html', 'empty', 'orders'],
  ['today', 'index.html', 'idle', 'today'],
  ['today-empty', 'index.html', 'empty', 'today'],
  ['cases', 'index.html', 'late', 'cases'],
  ['cases-empty', 'index.html', 'idle', 'cases'],
  ['settings-store', 'index.html', 'idle', 'settings/store'],
  ['settings-keys', 'index.html', 'idle', 'settings/keys'],
  ['settings-certificates', 'index.html', 'certificates', 'settings/keys'],
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
