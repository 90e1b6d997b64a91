import { useState } from 'react'
import { statusWord } from '../../components/ui/status'
import { useCharacterKeys } from '../../lib/keys/character-keys'
import { useBoundKeys } from '../../lib/keys/keys'
import { issuePath, sessionPath, taskPath, useGo } from '../../lib/links'
import { logOut } from '../../lib/log-out'
import { isNotifying, setNotifying } from '../../lib/notify/notify'
import { SCHEMES, useScheme } from '../../lib/scheme'
import { useTyped } from '../../lib/typed'
import { UNDO_TIMES, useUndoTime } from '../../lib/undo-time'
import { visibleText } from '../../lib/visible-text'
import { useFoundIssues, useFoundSessions, useFoundTasks, useFoundWords } from '../search/find-things'
import { hitPath } from '../search/hit-row'
import { searchPath } from '../search/search-page'
import { snippetParts } from '../session/rows/session-texts'
import { actionsOf, type Command, type CommandGroup, matchingGroups } from './commands'
import { placeOfId } from './place-of-id'
import { PLACES } from './places'

interface Options {
  onClose(): void
  /** Shows the list of shortcuts instead. */
  onKeys(): void
  /** Shows the outcome for a moment. */
  onNote(text: string): void
}

/** Sessions, tasks and issues found at most, each. */
const MAX_FOUND = 5

/** The commands that match the typed text. The server is asked for titles and IDs after a pause; everything else is there at once. */
export function useCommands(text: string, { onClose, onKeys, onNote }: Options): CommandGroup[] {
  const go = useGo()
  const bound = useBoundKeys()
  const wanted = text.trim()
  const found = useThings(wanted, (path) => visit(path)())
  const settings = useSettings({ onClose, onKeys, onNote })

  const visit = (path: string) => () => {
    onClose()
    go(path)
  }
  const actions = actionsOf(bound, wanted !== '').map(
    (binding, at): Command => ({
      id: `do-${at}-${binding.keys.replaceAll(' ', '-')}`,
      label: binding.label.slice(0, 1).toUpperCase() + binding.label.slice(1),
      detail: binding.group,
      keys: binding.keys,
      run: () => {
        onClose()
        // After the dialog is closed, because it keeps the focus from everything else.
        setTimeout(() => {
          const isDone = binding.run(new KeyboardEvent('keydown', { key: binding.keys.split(' ').at(-1) ?? '' }))
          if (isDone === false) onNote(`“${binding.label}” has no effect here.`)
        })
      },
    }),
  )
  const places = PLACES.map(
    ({ path, name, key }): Command => ({
      id: `place-${key}`,
      label: `Go to ${name}`,
      keys: `g ${key}`,
      run: visit(path),
    }),
  )
  const here = matchingGroups(
    [
      { name: 'On this page', commands: actions },
      { name: 'Pages', commands: places },
      { name: 'Lodeline', commands: settings },
    ],
    wanted,
  )
  if (wanted === '') return here
  const path = placeOfId(wanted)
  const open: Command = { id: 'open', label: `Open ${visibleText(wanted)}`, run: visit(path ?? '/') }
  const search: Command = {
    id: 'search',
    label: `Search everything for “${visibleText(wanted)}”`,
    run: visit(searchPath({ q: wanted })),
  }
  // A word with a hyphen may be an issue ID, or just a word.
  const isSure = path !== null && !path.startsWith('/issues/')
  return [
    ...(isSure ? [{ name: 'By ID', commands: [open] }] : []),
    ...here,
    { name: 'Search', commands: [search, ...(path !== null && !isSure ? [open] : [])] },
    ...found,
  ]
}

/** Sessions, tasks and issues found by title or ID. */
function useThings(wanted: string, visit: (path: string) => void): CommandGroup[] {
  const [asked, setAsked] = useState('')
  const [typed, setTyped] = useTyped(asked, setAsked)
  if (typed !== wanted) setTyped(wanted)
  const sessions = useFoundSessions(asked, undefined, MAX_FOUND, true)
  const tasks = useFoundTasks(asked, MAX_FOUND, true)
  const issues = useFoundIssues(asked, MAX_FOUND, true)
  const words = useFoundWords(asked, { limit: MAX_FOUND, wantsFacets: false }, true)
  // Results of an earlier text are not shown.
  if (asked !== wanted || asked === '') return []
  const group = (name: string, path: (id: string) => string, things: readonly Titled[] | undefined): CommandGroup[] =>
    things === undefined || things.length === 0
      ? []
      : [
          {
            name,
            commands: things.map(({ id, title, status }) => ({
              id: `${name}-${id}`,
              label: visibleText(title ?? id).slice(0, 200),
              detail: `${statusWord(status)} · ${id.length > 20 ? id.slice(0, 8) : id}`,
              run: () => visit(path(id)),
            })),
          },
        ]
  return [
    ...group('Sessions', sessionPath, sessions.isPlaceholderData ? undefined : sessions.data?.sessions),
    ...group('Tasks', taskPath, tasks.isPlaceholderData ? undefined : tasks.data?.tasks),
    ...group('Issues', issuePath, issues.isPlaceholderData ? undefined : issues.data?.issues),
    ...(words.isPlaceholderData || words.data === undefined || words.data.hits.length === 0
      ? []
      : [
          {
            name: 'In conversations',
            commands: words.data.hits.map((hit) => ({
              id: `words-${hit.event.id}`,
              label: snippetParts(hit.snippet)
                .map(({ text }) => text)
                .join('')
                .slice(0, 200),
              detail: visibleText(hit.sessionTitle ?? hit.event.sessionId.slice(0, 8)).slice(0, 40),
              run: () => visit(hitPath(hit, asked)),
            })),
          },
        ]),
  ]
}

interface Titled {
  id: string
  title: string | null
  status: string
}

const SCHEME_WORDS = { system: 'system default', light: 'light', dark: 'dark' } as const

function useSettings({ onClose, onKeys, onNote }: Options): Command[] {
  const [scheme, setScheme] = useScheme()
  const [doCharactersWork, setCharactersWork] = useCharacterKeys()
  const [undoTime, setUndoTime] = useUndoTime()
  const colours = SCHEMES.map(
    (one): Command => ({
      id: `scheme-${one}`,
      label: `Colours: ${SCHEME_WORDS[one]}`,
      ...(one === scheme && { detail: 'current' }),
      run: () => {
        setScheme(one)
        onClose()
      },
    }),
  )
  const undoTimes = UNDO_TIMES.map(
    (seconds): Command => ({
      id: `undo-${seconds}`,
      label: seconds === '0' ? 'Undo time: none, send at once' : `Undo time: ${seconds} s`,
      ...(seconds === undoTime && { detail: 'current' }),
      run: () => {
        setUndoTime(seconds)
        onClose()
      },
    }),
  )
  return [
    ...colours,
    ...notifications(onClose, onNote),
    { id: 'keys', label: 'Show keyboard shortcuts', keys: '?', run: onKeys },
    {
      id: 'character-keys',
      label: `Turn single-character shortcuts ${doCharactersWork ? 'off' : 'on'}`,
      run: () => {
        setCharactersWork(!doCharactersWork)
        onClose()
      },
    },
    ...undoTimes,
    { id: 'log-out', label: 'Log out', run: () => void logOut() },
  ]
}

function notifications(onClose: () => void, onNote: (text: string) => void): Command[] {
  if (!('Notification' in globalThis)) return []
  const isOn = isNotifying()
  return [
    {
      id: 'notify',
      label: isOn ? 'Turn notifications off' : 'Turn notifications on',
      run: () => {
        onClose()
        void setNotifying(!isOn).then((is) =>
          onNote(
            is
              ? 'Notifications are on.'
              : isOn
                ? 'Notifications are off.'
                : 'The browser blocks notifications. Allow them in its settings for this page.',
          ),
        )
      },
    },
  ]
}
