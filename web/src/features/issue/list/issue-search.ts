import { ISSUE_PRIORITIES } from '#domain/issue/issue-priority'
import { ISSUE_ORDERS, type IssueOrder } from '#domain/issue/issue-store'
import { oneOf, type Search, textOf, writeSearch } from '../../../lib/search'

/** Views of the issues page; the first is the default. */
export const ISSUE_VIEWS = ['list', 'board', 'ready', 'graph'] as const
export type IssueView = (typeof ISSUE_VIEWS)[number]

/** Selects issues, in every view. */
export interface IssueFilter {
  /** Folder of a project; undefined = all projects. */
  project?: string
  /** Words in the ID or title. */
  q?: string
  status: readonly string[]
  type: readonly string[]
  priority: readonly number[]
  /** Labels, all of which an issue must have. */
  label: readonly string[]
  assignee?: string
  isUnassigned: boolean
  isBlocked: boolean
  /** Whether to include closed issues. */
  withDone: boolean
  /** Days without a change, at least. */
  staleDays?: number
}

/** What the issues page shows. */
export interface IssuesSearch extends IssueFilter {
  view: IssueView
  order: IssueOrder
  isReversed: boolean
  /** Graph: shows only issues within `reach` steps of this one. */
  focus?: string
  reach: number
  /** Graph: whether to include issues without links. */
  withAlone: boolean
  isTable: boolean
}

/** Steps around the focused issue: at most, and by default. */
export const MAX_REACH = 5
const DEFAULT_REACH = 2
/** Values of a list filter at most. */
const MAX_VALUES = 50
/** Characters of a value at most. */
const MAX_VALUE_CHARACTERS = 500
/** Days without a change that can be asked for. */
const MAX_STALE_DAYS = 36_500

/** Parses the search part of the issues page. Missing fields get their defaults. */
export function parseIssuesSearch(search: Search): IssuesSearch {
  const project = textOf(search.project)
  const q = textOf(search.q)
  const assignee = textOf(search.assignee)
  const focus = textOf(search.focus)
  const staleDays = wholeOf(search.stale, 1, MAX_STALE_DAYS)
  return {
    view: oneOf(ISSUE_VIEWS, search.view) ?? 'list',
    ...(project !== undefined && { project }),
    ...(q !== undefined && { q }),
    status: wordsOf(search.status),
    type: wordsOf(search.type),
    priority: ISSUE_PRIORITIES.filter((one) => wordsOf(search.priority).includes(String(one))),
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

/** Formats the search part. Defaults are omitted. */
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

/** Path of the issues page. */
export const issuesPath = (search: IssuesSearch): string => `/issues${writeIssuesSearch(search)}`

/** Selects all open issues. */
export const NO_FILTER: IssueFilter = {
  status: [],
  type: [],
  priority: [],
  label: [],
  isUnassigned: false,
  isBlocked: false,
  withDone: false,
}

/** Number of conditions besides the project. */
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

/** Joins values by commas. Commas within values are percent-encoded, because labels may contain any character. */
const listText = (words: readonly string[]): string =>
  words.map((word) => word.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')

function wordsOf(value: unknown): string[] {
  if (typeof value !== 'string') return []
  const words = value
    .split(',')
    .map((word) => word.replaceAll('%2C', ',').replaceAll('%25', '%').slice(0, MAX_VALUE_CHARACTERS))
  return [...new Set(words.filter((word) => word !== ''))].slice(0, MAX_VALUES)
}
