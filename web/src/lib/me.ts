import { useSyncExternalStore } from 'react'
import type { Answers } from '#api/contract/operations/index'
import { allOperations, type OperationName } from '#api/contract/operations/index'
import type { FeedEntry } from '#api/contract/wire'
import { isNamed } from '#domain/access/access'

export type Me = Answers['login']['me']

/** The logged-in person; `null` = not known yet. */
let me: Me | null = null
const listeners = new Set<() => void>()

export function setMe(next: Me | null): void {
  me = next
  for (const tell of listeners) tell()
}

const follow = (tell: () => void) => {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

export const useMe = (): Me | null => useSyncExternalStore(follow, () => me)

const rows = new Map(allOperations.map(({ name, access }) => [name as OperationName, access]))

/** Whether the logged-in person may do this, by the same table as on the server. The server checks it again. */
export function may(act: OperationName): boolean {
  const row = rows.get(act)
  return me === null || row === undefined || row === 'public' || isNamed(row, me.kind)
}

/** @param act  left out: everybody may */
export function useMay(act: OperationName | undefined): boolean {
  useMe()
  return act === undefined || may(act)
}

/** Whether there are people to tell apart. */
export const hasPeople = (): boolean => me?.hasPeople === true

/** The name of a person on a page, and `you` for the reader, where there are several people. */
export function whoIs(name: string): string {
  const own = me?.role === undefined ? (me?.hasPeople === true ? 'operator' : null) : me.name
  return name === own ? 'you' : name
}

const ofPeople = new Set<() => void>()

/** Calls `tell` when the feed says that a person was added, changed or removed. @returns a function that unsubscribes */
export function whenPeopleChange(tell: () => void): () => void {
  ofPeople.add(tell)
  return () => ofPeople.delete(tell)
}

export function noticePeople({ kind }: Pick<FeedEntry, 'kind'>): void {
  if (kind === 'user.updated') for (const tell of ofPeople) tell()
}

/** The logged-in person, in words; `null` where nobody was added. */
export function meInWords({ name, role, hasPeople }: Me): string | null {
  if (role !== undefined) return `${name}, ${role}`
  return hasPeople === true ? 'operator' : null
}
