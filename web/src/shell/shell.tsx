import { Outlet, useLocation } from '@tanstack/react-router'
import { Command, Ellipsis, Keyboard, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Link } from '../components/link'
import { IconButton } from '../components/ui/button'
import { KeyHint } from '../components/ui/key-hint'
import { Menu } from '../components/ui/menu'
import { PLACES } from '../features/commands/places'
import { useNeedCount } from '../features/home/needs'
import { whenVersionChanges } from '../lib/api'
import { leaveField } from '../lib/keys/keep-focus'
import { type KeyBinding, useKeys } from '../lib/keys/keys'
import { useGo } from '../lib/links'
import { logOut } from '../lib/log-out'
import { meInWords, useMe } from '../lib/me'
import { useScheme } from '../lib/scheme'
import { visibleText } from '../lib/visible-text'
import { CommandBar } from './command-bar'
import { HeldBar } from './held-bar'
import { KeyList } from './key-list'
import { LiveBadge } from './live-badge'
import { NeedWatch } from './need-watch'
import { Note } from './note'
import { WarmUp } from './warm-up'

/** What surrounds every page: navigation, shortcuts, and whether the page is live. */
export function Shell() {
  const go = useGo()
  const [open, setOpen] = useState<'keys' | 'commands' | null>(null)
  const [note, setNote] = useState('')
  const needs = useNeedCount()

  const bindings = useMemo((): KeyBinding[] => {
    const group = 'Everywhere'
    return [
      { keys: '?', label: 'show this list', group, run: () => setOpen('keys') },
      { keys: '/', label: 'open the command bar', group, opensField: true, run: () => setOpen('commands') },
      {
        keys: 'Mod+k',
        label: 'open the command bar',
        group,
        inFields: true,
        opensField: true,
        run: () => setOpen('commands'),
      },
      { keys: 'Escape', label: 'leave a field', group, inFields: true, run: leaveField },
      ...PLACES.map(({ key, name, path }) => ({
        keys: `g ${key}`,
        label: `go to ${name}`,
        group: 'Pages',
        run: () => go(path),
      })),
    ]
  }, [go])
  useKeys(bindings)
  useFocusOnPage()

  return (
    <div className="flex h-full flex-col md:flex-row">
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a part of the page, as a link does */}
      <a
        href="#page"
        // The address must keep what the page shows.
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('page')?.focus()
        }}
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-panel focus:p-2"
      >
        Skip to content
      </a>
      <SideBar needs={needs} onKeys={() => setOpen('keys')} onCommands={() => setOpen('commands')} />
      <main
        id="page"
        tabIndex={-1}
        className="relative flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden focus-visible:outline-1 focus-visible:outline-offset-[-1px] focus-visible:outline-line-strong"
      >
        <VersionNote />
        <Outlet />
      </main>
      <BottomBar needs={needs} />
      <NeedWatch />
      <HeldBar />
      <WarmUp />
      {open === 'keys' ? <KeyList onClose={() => setOpen(null)} /> : null}
      {open === 'commands' ? (
        <CommandBar onClose={() => setOpen(null)} onKeys={() => setOpen('keys')} onNote={setNote} />
      ) : null}
      <Note text={note} onEnd={() => setNote('')} />
    </div>
  )
}

/** Moves the focus to a new page if nothing else has it, so that screen readers and Tab start there. */
function useFocusOnPage(): void {
  const { pathname } = useLocation()
  const was = useRef(pathname)
  useEffect(() => {
    if (was.current === pathname) return
    was.current = pathname
    const { activeElement } = document
    if (activeElement === null || activeElement === document.body)
      document.getElementById('page')?.focus({ preventScroll: true })
  }, [pathname])
}

const isAt = (path: string, at: string) => (path === '/' ? at === '/' : at === path || at.startsWith(`${path}/`))

function SideBar({ needs, onKeys, onCommands }: { needs: number; onKeys(): void; onCommands(): void }) {
  const at = useLocation().pathname
  return (
    <header className="flex shrink-0 items-center gap-2 border-line px-2 max-md:h-11 max-md:border-b md:w-44 md:flex-col md:items-stretch md:border-r md:py-2.5">
      <div className="flex items-center gap-2 px-1.5 md:pb-2">
        <Mark />
        <span className="text-sm font-semibold tracking-tight">Lodeline</span>
      </div>
      <button
        type="button"
        onClick={onCommands}
        className="flex h-8 items-center gap-2 rounded border border-line bg-panel px-2 text-xs text-ink-3 hover:bg-hover max-md:ml-auto max-md:w-9 max-md:justify-center"
        aria-label="Command bar"
      >
        <Command aria-hidden size={13} />
        <span className="max-md:hidden">Command bar</span>
        <span className="ml-auto max-md:hidden">
          <KeyHint keys="/" />
        </span>
      </button>
      <nav aria-label="Pages" className="flex flex-col gap-px pt-2 max-md:hidden">
        {PLACES.map(({ path, name, icon: Icon, key }) => (
          <Link
            key={path}
            to={path}
            aria-current={isAt(path, at) ? 'page' : undefined}
            className="group flex h-7 items-center gap-2 px-1.5 text-sm text-ink-2 no-underline hover:bg-hover hover:text-ink hover:no-underline aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink"
          >
            <Icon aria-hidden size={15} />
            {name}
            {path === '/' && needs > 0 ? (
              <NeedCount count={needs} />
            ) : (
              <span className="ml-auto opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100">
                <KeyHint keys={`g ${key}`} />
              </span>
            )}
          </Link>
        ))}
      </nav>
      <div className="flex items-center gap-1 md:mt-auto md:flex-col md:items-stretch md:gap-2">
        <WhoIsIn />
        <div className="px-1.5">
          <LiveBadge />
        </div>
        <div className="flex items-center max-md:hidden">
          <SchemeButton />
          <IconButton label="Keyboard shortcuts (?)" onClick={onKeys}>
            <Keyboard aria-hidden size={15} />
          </IconButton>
          <IconButton label="Log out" onClick={() => void logOut()}>
            <LogOut aria-hidden size={15} />
          </IconButton>
        </div>
      </div>
    </header>
  )
}

const ROLE_WORDS = {
  viewer: 'A viewer reads everything and changes nothing.',
  approver: 'An approver answers, pauses and lets begin, and starts nothing of its own.',
  admin: 'An admin may do what the operator may, and manages people.',
} as const

/** The logged-in person; nothing where nobody was added. */
function WhoIsIn() {
  const me = useMe()
  const words = me === null ? null : meInWords(me)
  if (me === null || words === null) return null
  return (
    <div
      data-testid="who-is-in"
      title={me.role === undefined ? 'The operator, who has the server’s token.' : ROLE_WORDS[me.role]}
      className="flex min-w-0 items-center gap-1.5 px-1.5 text-xs text-ink-2 max-md:max-w-28"
    >
      <UserRound aria-hidden size={13} className="shrink-0" />
      <span className="sr-only">Logged in as </span>
      <span className="truncate">{visibleText(words)}</span>
    </div>
  )
}

const NeedCount = ({ count }: { count: number }) => (
  <span className="ml-auto rounded-sm px-1.5 text-2xs font-semibold text-need tint-need">
    {count > 99 ? '99+' : count}
    <span className="sr-only"> need you</span>
  </span>
)

const BAR_ITEM =
  'relative flex h-12 flex-1 flex-col items-center justify-center gap-0.5 text-2xs text-ink-2 no-underline aria-[current=page]:font-semibold aria-[current=page]:text-accent'

/** On a phone: the pages that are used most, and a menu of the others. */
function BottomBar({ needs }: { needs: number }) {
  const at = useLocation().pathname
  const go = useGo()
  return (
    <nav
      aria-label="Pages"
      className="flex shrink-0 border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {PLACES.filter(({ isFirst }) => isFirst).map(({ path, name, icon: Icon }) => (
        <Link key={path} to={path} aria-current={isAt(path, at) ? 'page' : undefined} className={BAR_ITEM}>
          <Icon aria-hidden size={17} />
          {name}
          {path === '/' && needs > 0 ? (
            <span className="absolute top-1 left-1/2 ml-1.5 rounded-sm px-1 text-2xs whitespace-nowrap font-semibold text-need tint-need">
              {needs > 99 ? '99+' : needs}
              <span className="sr-only"> need you</span>
            </span>
          ) : null}
        </Link>
      ))}
      <Menu
        trigger={
          <button type="button" className={BAR_ITEM}>
            <Ellipsis aria-hidden size={17} />
            More
          </button>
        }
        items={PLACES.filter(({ isFirst }) => !isFirst).map(({ path, name }) => ({
          label: name,
          onSelect: () => go(path),
        }))}
      />
    </nav>
  )
}

const SCHEME_ICONS = { system: Monitor, light: Sun, dark: Moon }
/** The order in which the button goes through the schemes. */
const NEXT_SCHEME = { system: 'light', light: 'dark', dark: 'system' } as const

function SchemeButton() {
  const [scheme, setScheme] = useScheme()
  const Icon = SCHEME_ICONS[scheme]
  return (
    <IconButton label={`Colours: ${scheme}`} onClick={() => setScheme(NEXT_SCHEME[scheme])}>
      <Icon aria-hidden size={15} />
    </IconButton>
  )
}

const Mark = () => (
  <svg viewBox="0 0 32 32" className="size-5 shrink-0" aria-hidden>
    <rect width="32" height="32" rx="7" fill="#1f5f63" />
    <path d="M9 6v13a5 5 0 0 0 5 5h3M9 13h8" fill="none" stroke="#e9f3f1" strokeWidth="3" strokeLinecap="round" />
    <circle cx="22" cy="24" r="3.2" fill="#f2b544" />
    <circle cx="22" cy="13" r="3.2" fill="#e9f3f1" />
  </svg>
)

/** The server was updated: its responses may contain what the page does not know. */
function VersionNote() {
  const [version, setVersion] = useState<string | null>(null)
  useEffect(() => whenVersionChanges(setVersion), [])
  if (version === null) return null
  return (
    <div role="status" className="flex items-center gap-2 border-b border-line px-4 py-1.5 text-xs tint-wait">
      The server was updated to version {version}.
      <button type="button" className="text-accent underline" onClick={() => location.reload()}>
        Reload the page
      </button>
    </div>
  )
}
