import { AppError } from '../errors'
import { type ISSUE_STATUSES, STATUS_CATEGORIES, type StatusCategory } from './issue'

const BUILT_IN: Readonly<Record<(typeof ISSUE_STATUSES)[number], StatusCategory>> = {
  open: 'active',
  in_progress: 'wip',
  blocked: 'wip',
  hooked: 'wip',
  closed: 'done',
  deferred: 'frozen',
  pinned: 'frozen',
}
const MAX_CUSTOM = 50

/** A custom status without a category has the status of its own: it is neither ready, nor done, nor hidden. */
export interface CustomStatus {
  name: string
  category: StatusCategory | null
}

/** A change of a tracker's statuses: all replaced, one put or one removed. */
export interface StatusChange {
  statuses?: readonly CustomStatus[] | undefined
  /** Added or replaced. */
  put?: CustomStatus | undefined
  remove?: string | undefined
}

/** @throws `invalid`  it says nothing, or more than one thing · `not_found`  what is to go is not there · `conflict`  it is built in */
export function changedStatuses(own: readonly CustomStatus[], change: StatusChange): CustomStatus[] {
  const { statuses, put, remove } = change
  if ([statuses, put, remove].filter((said) => said !== undefined).length !== 1)
    throw new AppError('invalid', 'Pass exactly one of `statuses`, `put` and `remove`.')
  if (statuses !== undefined) return [...statuses]
  const name = put?.name ?? remove ?? ''
  const shown = `'${name.slice(0, 60)}'`
  if (Object.hasOwn(BUILT_IN, name))
    throw new AppError(
      'conflict',
      `The status ${shown} is built in${put === undefined ? " and can't be removed" : ''}.`,
      {
        hint: "Choose another name. Run 'lode issue status list' to see those in use.",
      },
    )
  const others = own.filter((status) => status.name !== name)
  if (put !== undefined) return [...others, put]
  if (others.length < own.length) return others
  throw new AppError('not_found', `There is no status ${shown} here.`, {
    hint: "Run 'lode issue status list' to see all statuses.",
  })
}

/** Which category each status has; ask it, and never compare with `'closed'` alone. */
export interface StatusCatalog {
  /** Built in and custom, in that order. */
  readonly names: readonly string[]
  /** `null` = no category, or a status that nobody defined (files may hold any). */
  categoryOf(status: string): StatusCategory | null
  /** It blocks nobody and has an end. A tombstone counts as done. */
  isDone(status: string): boolean
}

/**
 * The built-in statuses with a project's own.
 *
 * @throws `invalid`  a name that is taken, twice there or spelled otherwise than `[a-z][a-z0-9_-]*`; more than 50
 */
export function statusCatalog(custom: readonly CustomStatus[] = []): StatusCatalog {
  if (custom.length > MAX_CUSTOM) throw new AppError('invalid', `The maximum is ${MAX_CUSTOM} custom statuses.`)
  const categories = new Map<string, StatusCategory | null>(Object.entries(BUILT_IN))
  for (const { name, category } of custom) {
    if (!/^[a-z][a-z0-9_-]{0,49}$/.test(name)) {
      throw new AppError('invalid', `'${name.slice(0, 60)}' can't be the name of a status.`, {
        hint: 'Use lower-case letters, digits, - and _, starting with a letter.',
      })
    }
    if (categories.has(name)) throw new AppError('invalid', `The status '${name}' already exists.`)
    categories.set(name, category)
  }
  return {
    names: [...categories.keys()],
    categoryOf: (status) => categories.get(status) ?? null,
    isDone: (status) => status === 'tombstone' || categories.get(status) === 'done',
  }
}

/** Only what is built in. */
export const BUILT_IN_STATUSES: StatusCatalog = statusCatalog()

/**
 * Reads `name` or `name:category`, as settings and `bd` spell custom statuses.
 * @throws `invalid`  the category is none
 */
export function parseCustomStatus(text: string): CustomStatus {
  const [name = '', category] = text.trim().split(':', 2)
  if (category === undefined || category === '' || category === 'none') return { name, category: null }
  const known = STATUS_CATEGORIES.find((one) => one === category)
  if (known !== undefined) return { name, category: known }
  throw new AppError('invalid', `'${category.slice(0, 60)}' is not a category of statuses.`, {
    hint: `Use ${STATUS_CATEGORIES.join(', ')}.`,
  })
}
