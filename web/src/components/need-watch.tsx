import { useLocation } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { homePath, parseHomeSearch } from '../lib/home-search'
import { type KeyBinding, useKeys } from '../lib/keys'
import { useGo } from '../lib/links'
import { type Need, NO_NEEDS, useNeeds } from '../lib/needs'
import { isNotifying } from '../lib/notify'
import { parseSearch } from '../lib/search'
import { visibleText } from '../lib/visible-text'
import { statusWord } from './ui/status'

/** Everywhere: `.` goes to the next thing that needs the person; new ones are told aloud, and by the system if they want that. */
export function NeedWatch() {
  const needs = useNeeds()
  const go = useGo()
  const { pathname, searchStr } = useLocation()
  const latest = useRef({ needs, pathname, searchStr })
  latest.current = { needs, pathname, searchStr }

  const bindings = useMemo(
    (): KeyBinding[] => [
      {
        keys: '.',
        label: 'next that needs you',
        group: 'Everywhere',
        run: () => {
          const now = latest.current
          const current = now.pathname === '/' ? parseHomeSearch(parseSearch(now.searchStr)).need : undefined
          const at = now.needs.findIndex(({ id }) => id === current)
          const next = now.needs[(at + 1) % Math.max(1, now.needs.length)]
          go(homePath(next === undefined ? {} : { need: next.id }), { replace: now.pathname === '/' })
        },
      },
    ],
    [go],
  )
  useKeys(bindings)
  const fresh = useFreshNeeds(needs)

  useEffect(() => {
    if (!isNotifying() || document.visibilityState === 'visible') return
    for (const need of fresh.slice(0, 3)) notify(need, () => go(homePath({ need: need.id })))
  }, [fresh, go])

  return (
    <div role="status" className="sr-only">
      {fresh.length === 0
        ? ''
        : `${fresh.length} new: ${fresh.map((one) => `${statusWord(one.kind)}, ${one.title}`).join('; ')}`}
    </div>
  )
}

/** Needs that were not there a moment ago; none of those that were there when the page came. */
function useFreshNeeds(needs: readonly Need[]): readonly Need[] {
  const known = useRef<ReadonlySet<string> | null>(null)
  const [fresh, setFresh] = useState(NONE)
  useEffect(() => {
    const before = known.current
    const ids = new Set(needs.map(({ id }) => id))
    if (needs === NO_NEEDS) return
    known.current = ids
    const added = before === null ? [] : needs.filter(({ id }) => !before.has(id))
    if (added.length > 0) setFresh(added)
  }, [needs])
  return fresh
}

const NONE: readonly Need[] = []

function notify(need: Need, open: () => void): void {
  const told = new Notification(`${statusWord(need.kind)}: ${visibleText(need.title).slice(0, 80)}`, {
    body: visibleText(need.text).slice(0, 160),
    tag: need.id,
  })
  told.onclick = () => {
    window.focus()
    open()
  }
}
