import { ISSUE_ORDERS, type IssueOrder } from '../../../src/domain/issue-store'
import { oneOf, type Search, textOf, writeSearch } from './search'

export const ISSUE_VIEWS = ['list', 'board', 'ready', 'graph'] as const
export type IssueView = (typeof ISSUE_VIEWS)[number]

/** Which issues are shown, whatever the view. */
export interface IssueFilter {
  /** Folder of a project, as the CLI knows it; none = of all projects. */
  project?: string
  /** Words that id or title hold. */
  q?: string
  status: readonly string[]
  type: readonly string[]
  priority: readonly number[]
  /** Has all of them. */
  label: readonly string[]
  assignee?: string
  isUnassigned: boolean
  isBlocked: boolean
  /** With what is done. */
  withDone: boolean
  /** Not changed for so many days. */
  staleDays?: number
}

export interface IssuesSearch extends IssueFilter {
  view: IssueView
  order: IssueOrder
  isReversed: boolean
  /** Of the graph: the issue whose neighbourhood is shown, and how many steps of it. */
  focus?: string
  reach: number
  /** With issues that no edge leads to. */
  withAlone: boolean
  isTable: boolean
}

export const MAX_REACH = 5
const DEFAULT_REACH = 2
const MAX_WORDS = 50

/** All that is shown at `/issues`, out of its address. What nobody wrote there is left out. */
export function parseIssuesSearch(search: Search): IssuesSearch {
  const project = textOf(search.project)
  const q = textOf(search.q)
  const assignee = textOf(search.assignee)
  const focus = textOf(search.focus)
  const staleDays = wholeOf(search.stale, 1, 36_500)
  return {
    view: oneOf(ISSUE_VIEWS, search.view) ?? 'list',
    ...(project !== undefined && { project }),
    ...(q !== undefined && { q }),
    status: wordsOf(search.status),
    type: wordsOf(search.type),
    priority: [0, 1, 2, 3, 4].filter((one) => wordsOf(search.priority).includes(String(one))),
    label: wordsOf(search.label),
    ...(assignee !== undefined && { assignee }),
    isUnassigned: isSaid(search.unassigned),
    isBlocked: isSaid(search.blocked),
    withDone: isSaid(search.done),
    ...(staleDays !== undefined && { staleDays }),
    order: oneOf(ISSUE_ORDERS, search.order) ?? 'priority',
    isReversed: isSaid(search.reversed),
    ...(focus !== undefined && { focus }),
    reach: wholeOf(search.reach, 1, MAX_REACH) ?? DEFAULT_REACH,
    withAlone: isSaid(search.alone),
    isTable: search.as === 'table',
  }
}

/** What stands behind `?`; what is as it is without saying so is left out. */
export const writeIssuesSearch = (search: IssuesSearch): string =>
  writeSearch({
    view: search.view === 'list' ? undefined : search.view,
    project: search.project,
    q: search.q,
    status: listText(search.status),
    type: listText(search.type),
    priority: search.priority.join(','),
    label: listText(search.label),
    assignee: search.assignee,
    unassigned: said(search.isUnassigned),
    blocked: said(search.isBlocked),
    done: said(search.withDone),
    stale: search.staleDays,
    order: search.order === 'priority' ? undefined : search.order,
    reversed: said(search.isReversed),
    focus: search.focus,
    reach: search.reach === DEFAULT_REACH ? undefined : search.reach,
    alone: said(search.withAlone),
    as: search.isTable ? 'table' : undefined,
  })

export const issuesPath = (search: IssuesSearch): string => `/issues${writeIssuesSearch(search)}`

export const NO_FILTER: IssueFilter = {
  status: [],
  type: [],
  priority: [],
  label: [],
  isUnassigned: false,
  isBlocked: false,
  withDone: false,
}

/** How many conditions there are beside the project. */
export const countConditions = (filter: IssueFilter): number =>
  filter.status.length +
  filter.type.length +
  filter.priority.length +
  filter.label.length +
  [filter.q, filter.assignee, filter.staleDays].filter((one) => one !== undefined).length +
  [filter.isUnassigned, filter.isBlocked, filter.withDone].filter(Boolean).length

const isSaid = (value: unknown): boolean => value === '1'
const said = (is: boolean): string | undefined => (is ? '1' : undefined)

function wholeOf(value: unknown, from: number, to: number): number | undefined {
  const number = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN
  return number >= from && number <= to ? number : undefined
}

/** Words with commas between them. A comma in a word is written as browsers write it, since labels may hold any sign. */
const listText = (words: readonly string[]): string =>
  words.map((word) => word.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')

function wordsOf(value: unknown): string[] {
  if (typeof value !== 'string') return []
  const words = value.split(',').map((word) => word.replaceAll('%2C', ',').replaceAll('%25', '%').slice(0, 500))
  return [...new Set(words.filter((word) => word !== ''))].slice(0, MAX_WORDS)
}
