/** Chooses who answers: the shell when there is one, otherwise the fake. Only the chosen one is loaded. */
import type { CounterApi, CustomerApi } from './api'

const inShell = '__TAURI_INTERNALS__' in window

export async function openCounterApi(): Promise<CounterApi> {
  return inShell ? (await import('./tauri')).counterApi : (await import('./fake')).openFakeCounter(location.search)
}

export async function openCustomerApi(): Promise<CustomerApi> {
  return inShell ? (await import('./tauri')).customerApi : (await import('./fake')).openFakeCustomer(location.search)
}
