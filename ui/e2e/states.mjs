// Every screen and state of the counter that the fake can show.
export const collectStates = [
  'idle', 'empty', 'demo', 'recovering', 'clone', 'late',
  'asking', 'asking-long', 'code', 'scanned', 'ran-out', 'paid',
  'closing', 'closing-scanned', 'closing-unsure', 'closed', 'refused', 'offline',
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
  ['settings-hq', 'index.html', 'idle', 'settings/hq'],
  ['first-run', 'index.html', 'first', ''],
  ['unlock', 'index.html', 'unlock', ''],
  ['broken-start', 'index.html', 'broken', ''],
  ['customer-idle', 'customer.html', 'idle', ''],
  ['customer-paying', 'customer.html', 'code', ''],
  ['customer-scanned', 'customer.html', 'scanned', ''],
  ['customer-waiting', 'customer.html', 'waiting', ''],
  ['customer-paid', 'customer.html', 'paid', ''],
]

export const languages = ['zh', 'en']
export const themes = ['light', 'dark']

export const addressOf = (origin, file, state, language, theme, hash = '') => `${origin}/${file}?fake=${state}&lang=${language}&theme=${theme}${hash === '' ? '' : `#${hash}`}`
