/** The pages of the main window. */
import { pagesOf } from '../shared/pages'

/** The pages of the menu, and those that something leads to. */
export const menu = ['collect', 'orders', 'today', 'cases', 'settings'] as const
export const pages = [...menu, 'selftest', 'resolve', 'bill'] as const
export type PageName = (typeof pages)[number]

export const { pageFrom, addressOf, openPage, usePage } = pagesOf(pages, 'collect')
