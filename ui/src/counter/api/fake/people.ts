/** The people of the fake shop and their PINs: 000000 is always wrong, and the fifth wrong one locks. */
import type { Approver } from '../../../shared/bindings/Approver'
import type { PeopleDraft } from '../../../shared/bindings/PeopleDraft'
import type { PeopleView } from '../../../shared/bindings/PeopleView'
import type { PersonView } from '../../../shared/bindings/PersonView'
import { refuse } from './refuse'

const mostWrong = 5
const person = (operator_id: string, name: string, role: PersonView['role'], locked_seconds = 0): PersonView => ({ operator_id, name, role, locked_seconds })

export class FakePeople {
  private view: PeopleView = {
    people: [person('op-1', '阿周', 'MANAGER'), person('op-2', '小林', 'CASHIER'), person('op-3', '小陈', 'CASHIER', 192)],
    cashier_limit: '20.00',
    approver_must_differ: false,
  }
  private wrong = 0

  all = () => this.view

  approvers = (): Approver[] =>
    this.view.people.map(({ operator_id, name, role, locked_seconds }) => ({
      operator_id, name, role, tries_left: Math.max(0, mostWrong - this.wrong), locked_seconds: this.wrong >= mostWrong ? 300 : locked_seconds,
    }))

  check(pin: string) {
    if (this.wrong >= mostWrong) refuse('PinLocked')
    if (pin !== '000000') return void (this.wrong = 0)
    this.wrong += 1
    refuse(this.wrong >= mostWrong ? 'PinLocked' : 'WrongPin')
  }

  change({ change, pin }: PeopleDraft): PeopleView {
    this.check(pin)
    this.view = { ...this.view, ...this.after(change) }
    return this.view
  }

  private after(change: PeopleDraft['change']): Partial<PeopleView> {
    const { people } = this.view
    switch (change.kind) {
      case 'Join':
        return { people: [...people, person(`op-${people.length + 1}`, change.name, change.role)] }
      case 'NewPin':
        return { people: people.map((one) => (one.operator_id === change.operator_id ? { ...one, locked_seconds: 0 } : one)) }
      case 'Leave':
        return { people: people.filter((one) => one.operator_id !== change.operator_id) }
      case 'Rules':
        return { cashier_limit: change.cashier_limit, approver_must_differ: change.approver_must_differ }
    }
  }
}
