/**
 * Everything the counter's screens may ask of the program behind them, and everything it tells them.
 *
 * Two things answer: `tauri.ts` (the real counter) and `fake.ts` (a browser). The screens cannot tell them apart.
 */
import type { Approver } from '../../shared/bindings/Approver'
import type { BillPage } from '../../shared/bindings/BillPage'
import type { BillReview } from '../../shared/bindings/BillReview'
import type { CaseDetail } from '../../shared/bindings/CaseDetail'
import type { CaseLine } from '../../shared/bindings/CaseLine'
import type { CollectResult } from '../../shared/bindings/CollectResult'
import type { CommandError } from '../../shared/bindings/CommandError'
import type { CounterView } from '../../shared/bindings/CounterView'
import type { CustomerView } from '../../shared/bindings/CustomerView'
import type { DayTotals } from '../../shared/bindings/DayTotals'
import type { DecisionDraft } from '../../shared/bindings/DecisionDraft'
import type { Finding } from '../../shared/bindings/Finding'
import type { KeysDraft } from '../../shared/bindings/KeysDraft'
import type { Language } from '../../shared/bindings/Language'
import type { OrderDetail } from '../../shared/bindings/OrderDetail'
import type { OrderLine } from '../../shared/bindings/OrderLine'
import type { OrderQuery } from '../../shared/bindings/OrderQuery'
import type { PaymentView } from '../../shared/bindings/PaymentView'
import type { PeopleDraft } from '../../shared/bindings/PeopleDraft'
import type { PeopleView } from '../../shared/bindings/PeopleView'
import type { RefundDraft } from '../../shared/bindings/RefundDraft'
import type { RefundView } from '../../shared/bindings/RefundView'
import type { ResolveView } from '../../shared/bindings/ResolveView'
import type { RetryDraft } from '../../shared/bindings/RetryDraft'
import type { SelfTestView } from '../../shared/bindings/SelfTestView'
import type { SettingsDraft } from '../../shared/bindings/SettingsDraft'
import type { SettingsView } from '../../shared/bindings/SettingsView'
import type { SetupDone } from '../../shared/bindings/SetupDone'
import type { SetupDraft } from '../../shared/bindings/SetupDraft'
import type { StatusView } from '../../shared/bindings/StatusView'

/** Takes the subscription back. */
export type Unlisten = () => void

/** Every command may be refused with a `CommandError`. */
export interface CounterApi {
  boot(): Promise<CounterView>
  status(): Promise<StatusView>
  /** What the last look at everything found. */
  selfTest(): Promise<SelfTestView>
  /** Looks once more, in the background; the status says when it is done. */
  wantSelfTest(): Promise<void>

  /** `click` is minted once per draft: the same click never makes a second order. */
  collect(amount: string, subject: string, click: string, anotherCustomer: boolean): Promise<CollectResult>
  /** The same with the code on the customer's phone, as the scanner read it. */
  collectWithCode(amount: string, subject: string, click: string, anotherCustomer: boolean, code: string): Promise<CollectResult>
  stop(payId: string): Promise<PaymentView>
  resume(payId: string): Promise<PaymentView>
  refresh(payId: string): Promise<PaymentView>
  newCode(payId: string): Promise<PaymentView>
  /** Asks the gateway once more, now, with the same number. */
  askNow(payId: string): Promise<PaymentView>
  collectAgain(payId: string, click: string): Promise<PaymentView>
  /** Frees the panel for the next customer; a payment that is not final stays pinned below. */
  dismiss(payId: string): Promise<void>

  listOrders(query: OrderQuery): Promise<OrderLine[]>
  orderDetail(payId: string): Promise<OrderDetail>
  dayTotals(day: string | null): Promise<DayTotals>
  listCases(): Promise<CaseLine[]>

  /** Whose PIN counts for a decision. */
  approvers(): Promise<Approver[]>
  refund(draft: RefundDraft): Promise<RefundView>
  /** Sends a refused refund again, under its number. */
  retryRefund(draft: RetryDraft): Promise<RefundView>
  caseDetail(caseId: string): Promise<CaseDetail>
  decide(draft: DecisionDraft): Promise<void>

  /** Finds orders for what a customer shows or says, and asks the gateway about one: `payId`, or the likeliest. */
  resolve(hint: string, payId: string | null): Promise<ResolveView>

  /** What is known of the bill of a day, and whether the program is going to fetch it by itself. */
  billPage(day: string): Promise<BillPage>
  fetchBill(day: string): Promise<BillReview>
  importBill(day: string, file: Uint8Array): Promise<BillReview>
  applyBill(day: string): Promise<BillReview>

  people(): Promise<PeopleView>
  changePeople(draft: PeopleDraft): Promise<PeopleView>

  checkSetup(draft: SetupDraft): Promise<Finding[]>
  finishSetup(draft: SetupDraft): Promise<SetupDone>
  startDemo(): Promise<void>
  unlock(passphrase: string): Promise<void>

  settings(): Promise<SettingsView>
  saveSettings(draft: SettingsDraft): Promise<SettingsView>
  setLanguage(language: Language): Promise<void>
  checkKeys(draft: KeysDraft): Promise<Finding[]>
  enrol(url: string, code: string): Promise<SettingsView>

  /** Demo only: opens the customer's phone. */
  openPhone(): Promise<void>

  onPayment(heard: (payment: PaymentView) => void): Promise<Unlisten>
  onCounter(heard: (counter: CounterView) => void): Promise<Unlisten>
}

/** What the customer's screen may ask: one view, and to be told when it changes. */
export interface CustomerApi {
  customerView(): Promise<CustomerView>
  onCustomer(heard: (customer: CustomerView) => void): Promise<Unlisten>
}

/** Reads what a refused command threw; anything else becomes `Unknown` with its own words. */
export function asCommandError(thrown: unknown): CommandError {
  if (isCommandError(thrown)) return thrown
  return { kind: 'Unknown', message: thrown instanceof Error ? thrown.message : String(thrown) }
}

function isCommandError(thrown: unknown): thrown is CommandError {
  return typeof thrown === 'object' && thrown !== null && 'kind' in thrown && 'message' in thrown
}
