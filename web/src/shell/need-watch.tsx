import { useLocation } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { statusWord } from '../components/ui/status'
import { homePath, parseHomeSearch } from '../features/home/home-search'
import { type Need, NO_NEEDS, useNeeds } from '../features/home/needs'
import { type KeyBinding, useKeys } from '../lib/keys/keys'
import { useGo } from '../lib/links'
import { isNotifying } from '../lib/notify/notify'
import { isPushing, showBadge } from '../lib/notify/push'
import { parseSearch } from '../lib/search'
import { visibleText } from '../lib/visible-text'

/** Around every page: `.` goes to the next need. New needs are announced, and shown as desktop notifications if those are on. */
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
        label: 'next item that needs you',
        group: 'Everywhere',
        isPossible: () => latest.current.needs.length > 0,
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
    if (needs !== NO_NEEDS) showBadge(needs.length)
  }, [needs])

  useEffect(() => {
    if (!isNotifying() || isPushing() || document.visibilityState === 'visible') return
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

/** Needs that have just appeared, without those that existed when the page was opened. */
function useFreshNeeds(needs: readonly Need[]): readonly Need[] {
  const known = useRef<ReadonlySet<string> | null>(null)
  const [fresh, setFresh] = useState(NO_FRESH_NEEDS)
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

const NO_FRESH_NEEDS: readonly Need[] = []

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
