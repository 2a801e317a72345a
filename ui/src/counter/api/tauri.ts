/** The real counter: each command and each event of the shell, one line each. */
import { invoke } from '@tauri-apps/api/core'
import { listen } from '@tauri-apps/api/event'

import type { CounterApi, CustomerApi, Unlisten } from './api'

const heardBy =
  <T>(event: string) =>
  (heard: (payload: T) => void): Promise<Unlisten> =>
    listen<T>(event, (message) => heard(message.payload))

export const counterApi: CounterApi = {
  boot: () => invoke('boot'),
  status: () => invoke('status'),
  selfTest: () => invoke('self_test'),
  wantSelfTest: () => invoke('want_self_test'),

  collect: (amount, subject, click, anotherCustomer) => invoke('collect', { amount, subject, click, anotherCustomer }),
  collectWithCode: (amount, subject, click, anotherCustomer, code) => invoke('collect_with_code', { amount, subject, click, anotherCustomer, code }),
  stop: (payId) => invoke('stop', { payId }),
  resume: (payId) => invoke('resume', { payId }),
  refresh: (payId) => invoke('refresh', { payId }),
  newCode: (payId) => invoke('new_code', { payId }),
  askNow: (payId) => invoke('ask_now', { payId }),
  collectAgain: (payId, click) => invoke('collect_again', { payId, click }),
  dismiss: (payId) => invoke('dismiss', { payId }),

  listOrders: (query) => invoke('list_orders', { query }),
  orderDetail: (payId) => invoke('order_detail', { payId }),
  dayTotals: (day) => invoke('day_totals', { day }),
  listCases: () => invoke('list_cases'),

  approvers: () => invoke('approvers'),
  refund: (draft) => invoke('refund', { draft }),
  retryRefund: (draft) => invoke('retry_refund', { draft }),
  caseDetail: (caseId) => invoke('case_detail', { caseId }),
  decide: (draft) => invoke('decide', { draft }),

  resolve: (hint, payId) => invoke('resolve', { hint, payId }),

  billPage: (day) => invoke('bill_page', { day }),
  fetchBill: (day) => invoke('fetch_bill', { day }),
  // The file travels as it is: as a list of numbers it would be four times as long.
  importBill: (day, file) => invoke('import_bill', file, { headers: { day } }),
  applyBill: (day) => invoke('apply_bill', { day }),

  people: () => invoke('people'),
  changePeople: (draft) => invoke('change_people', { draft }),

  checkSetup: (draft) => invoke('check_setup', { draft }),
  finishSetup: (draft) => invoke('finish_setup', { draft }),
  startDemo: () => invoke('start_demo'),
  unlock: (passphrase) => invoke('unlock', { passphrase }),

  settings: () => invoke('settings'),
  saveSettings: (draft) => invoke('save_settings', { draft }),
  setLanguage: (language) => invoke('set_language', { language }),
  checkKeys: (draft) => invoke('check_keys', { draft }),
  enrol: (url, code) => invoke('enrol', { url, code }),

  openPhone: () => invoke('open_phone'),

  onPayment: heardBy('payment-changed'),
  onCounter: heardBy('counter-changed'),
}

export const customerApi: CustomerApi = {
  customerView: () => invoke('customer_view'),
  onCustomer: heardBy('customer-changed'),
}
