import { useCallback, useMemo, useRef, useState } from 'react'
import type { OperationName } from '#api/contract/operations/index'
import { isOnControl, type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { canTakeBack, takeBack } from '../../../lib/live/held-moves'
import type { Need } from '../needs'
import type { InboxRow } from './inbox-rows'
import { canDo, isResumable, keyOf, type NeedMove } from './need-moves'
import { actOn, alwaysOf, type Pending, snoozeOf } from './pending'

/** What rows and their buttons can do. */
export interface InboxActs {
  /** @returns whether it fits any of them */
  act(needs: readonly Need[], move: NeedMove): boolean
  always(needs: readonly Need[]): boolean
  snooze(needs: readonly Need[]): boolean
  resume(need: Need): boolean
  /** Shows or hides the needs of a group. */
  toggle(group: string): void
  /** Leaves what waits for a second key. */
  leave(): void
}

/** The state of the list of needs that no address holds: what is selected, which groups are open, and what waits for a second key. */
export function useInbox() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(NOTHING)
  const [open, setOpen] = useState<ReadonlySet<string>>(NOTHING)
  const [pending, setPending] = useState<Pending | null>(null)
  const [resuming, setResuming] = useState<Need | null>(null)
  const leave = useCallback(() => setPending(null), [])
  const acts = useMemo((): InboxActs => {
    const ask = (made: Pending | null): boolean => {
      setPending(made)
      return made !== null
    }
    return {
      act: (needs, move) => {
        const made = actOn(needs, move)
        setPending(made === 'done' ? null : made)
        if (made === 'done') setSelected(NOTHING)
        return made !== null
      },
      always: (needs) => ask(alwaysOf(needs)),
      snooze: (needs) => ask(snoozeOf(needs, new Date())),
      resume: (need) => {
        if (isResumable(need)) setResuming(need)
        return isResumable(need)
      },
      toggle: (group) => setOpen((before) => toggled(before, group)),
      leave,
    }
  }, [leave])
  const endPending = useCallback(() => {
    setPending(null)
    setSelected(NOTHING)
  }, [])
  const endResuming = useCallback(() => setResuming(null), [])
  return { selected, setSelected, open, pending, leave, endPending, acts, resuming, endResuming }
}

export type Inbox = ReturnType<typeof useInbox>

const NOTHING: ReadonlySet<string> = new Set()

export function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(id)) next.add(id)
  return next
}

interface InboxKeysOptions {
  rows: readonly InboxRow[]
  current: InboxRow | undefined
  inbox: Inbox
  /** Moves the cursor by this many rows. */
  step(by: number): void
}

/** Binds the keys that act on the selected needs, or on those of the current row. */
export function useInboxKeys(options: InboxKeysOptions): void {
  const latest = useRef(options)
  latest.current = options
  useKeys(
    useMemo((): KeyBinding[] => {
      const group = 'Needs you'
      const targets = (): readonly Need[] => {
        const { rows, current, inbox } = latest.current
        const chosen = rows.flatMap((row) => (row.kind === 'need' && inbox.selected.has(row.id) ? row.needs : []))
        const ofGroups = rows.flatMap((row) => (row.kind === 'group' && inbox.selected.has(row.id) ? row.needs : []))
        const all = [...new Map([...chosen, ...ofGroups].map((need) => [need.id, need])).values()]
        const acted = all.length > 0 ? rows.filter(({ id }) => inbox.selected.has(id)) : [current]
        // A decision about a group is for all of its needs, and some are still being read.
        if (acted.some((row) => row?.kind === 'group' && row.isPartial)) return []
        return all.length > 0 ? all : (current?.needs ?? [])
      }
      const acts = (): InboxActs => latest.current.inbox.acts
      const bind = (
        act: OperationName,
        keys: string,
        label: string,
        run: () => unknown,
        fitsNeed: (need: Need) => boolean = () => true,
      ): KeyBinding => ({
        act,
        keys,
        label,
        group,
        changes: true,
        isPossible: () => targets().some(fitsNeed),
        run,
      })
      const moves = (act: OperationName, keys: string, label: string, move: NeedMove): KeyBinding =>
        bind(
          act,
          keys,
          label,
          () => acts().act(targets(), move),
          (need) => canDo(need, move.kind),
        )
      const select = (by: number) => (): boolean => {
        const { current, inbox, step } = latest.current
        if (current === undefined) return false
        if (by === 0) inbox.setSelected(toggled(inbox.selected, current.id))
        else {
          inbox.setSelected(new Set([...inbox.selected, current.id]))
          step(by)
        }
        return true
      }
      const local = (
        keys: string,
        label: string,
        run: KeyBinding['run'],
        isPossible = () => latest.current.current !== undefined,
      ): KeyBinding => ({ keys, label, group, isPossible, run })
      return [
        moves('questions.answer', 'a', 'allow', { kind: 'allow' }),
        moves('tasks.deploy', 'a', 'consent to a task', { kind: 'consent' }),
        moves('questions.answer', 'd', 'deny', { kind: 'deny' }),
        bind(
          'questions.alwaysAllow',
          'A',
          'allow such calls always',
          () => acts().always(targets()),
          ({ question }) => question !== null,
        ),
        moves('tasks.retry', 'r', 'retry a failed task', { kind: 'retry' }),
        bind(
          'sessions.resume',
          'r',
          'resume a lost session',
          () => {
            const [need] = targets()
            return need !== undefined && acts().resume(need)
          },
          isResumable,
        ),
        moves('needs.dismiss', 'x', 'dismiss', { kind: 'dismiss' }),
        bind('needs.snooze', 's', 'snooze, or wake', () => {
          const needs = targets()
          return needs.every(({ snoozedUntil }) => snoozedUntil !== null)
            ? acts().act(needs, { kind: 'snooze', until: new Date().toISOString() })
            : acts().snooze(needs)
        }),
        local('Space', 'select', (event) => !isOnControl(event) && select(0)()),
        local('J', 'select, and go on', select(1)),
        local('K', 'select, and go back', select(-1)),
        // Undoes the move of this need, even if it is not the latest.
        local(
          'z',
          'undo the change of this row',
          ({ repeat }) => {
            const [need] = latest.current.current?.needs ?? []
            return repeat || (need !== undefined && takeBack(keyOf(need)))
          },
          () => (latest.current.current?.needs ?? []).some((need) => canTakeBack(keyOf(need))),
        ),
        local(
          'Escape',
          'end the selection',
          () => {
            const { inbox } = latest.current
            if (inbox.selected.size === 0) return false
            inbox.setSelected(NOTHING)
            return true
          },
          () => latest.current.inbox.selected.size > 0,
        ),
      ]
    }, []),
  )
}
