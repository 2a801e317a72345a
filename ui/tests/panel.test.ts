import { flushPromises } from '@vue/test-utils'
import { afterEach, describe, expect, it } from 'vitest'

import { payments } from '../src/counter/api/fake/payments'
import { leaveDesks, seat } from './desk'
import markup from './fixtures/UI9_markup.json'

afterEach(leaveDesks)

describe('UI9: markup in a subject', () => {
  it.each(markup.values)('%s is shown as text', async (subject) => {
    const { screen } = await seat({ current: { ...payments.code, subject } })
    expect(screen.text()).toContain(subject.replace(/\u202e/g, ''))
    expect(screen.find('img, script').exists()).toBe(false)
  })
})

describe('the keys of a payment', () => {
  it.each([
    ['code', 'F5', 'refresh'],
    ['code', 'Escape', 'stop'],
    ['ran-out', 'F5', 'new_code'],
    ['closing', 'Enter', 'dismiss'],
    ['offline', 'Enter', 'ask_now'],
    ['closed', 'Enter', 'collect_again'],
  ] as const)('in %s: %s asks for %s', async (state, key, command) => {
    const { stroke, fake } = await seat({ current: payments[state] })
    stroke(key, {}, document.body)
    await flushPromises()
    expect(fake.asked).toContain(command)
  })

  it('change nothing when an older view arrives late', async () => {
    const { screen, counter } = await seat({ current: payments.paid })
    counter.accept({ ...payments.scanned, version: 3 })
    await flushPromises()
    expect(screen.get('main').attributes('data-scene')).toBe('paid')
  })
})
