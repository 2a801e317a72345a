/** The pages of headquarters. */
import { pagesOf } from '../shared/pages'

export const pages = ['today', 'payments', 'terminals', 'notices', 'cases'] as const
export type PageName = (typeof pages)[number]

export const { pageFrom, addressOf, openPage, usePage } = pagesOf(pages, 'today')
