import { useState } from 'react'
import { useCharacterKeys } from '../../lib/character-keys'
import { actionsOf, type Command, type CommandGroup, fitting } from '../../lib/commands'
import { useFoundIssues, useFoundSessions, useFoundTasks } from '../../lib/find-things'
import { useBoundKeys } from '../../lib/keys'
import { issuePath, sessionPath, taskPath, useGo } from '../../lib/links'
import { logOut } from '../../lib/log-out'
import { isNotifying, setNotifying } from '../../lib/notify'
import { placeOfId } from '../../lib/place-of-id'
import { SCHEMES, useScheme } from '../../lib/scheme'
import { searchPath } from '../../lib/search-page'
import { useTyped } from '../../lib/typed'
import { UNDO_TIMES, useUndoTime } from '../../lib/undo-time'
import { visibleText } from '../../lib/visible-text'
import { PLACES } from '../places'
import { statusWord } from '../ui/status'

interface Options {
  onClose(): void
  /** Shows all keys instead. */
  onKeys(): void
  /** Says for a moment what came of it. */
  onNote(text: string): void
}

/** Of each kind, what was heard of last. */
const FEW = 5

/** What can be done, by what was typed. The server is asked for titles and ids after a pause; all else is there at once, and stays where it is. */
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
        // Behind the end of the dialog, which keeps all else from having the focus.
        setTimeout(() => {
          const isDone = binding.run(new KeyboardEvent('keydown', { key: binding.keys.split(' ').at(-1) ?? '' }))
          if (isDone === false) onNote(`“${binding.label}” does nothing here now`)
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
  const here = fitting(
    [
      { name: 'On this page', commands: actions },
      { name: 'Places', commands: places },
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
  // A word with a dash may be an issue's id or only a word.
  const isSure = path !== null && !path.startsWith('/issues/')
  return [
    ...(isSure ? [{ name: 'By its id', commands: [open] }] : []),
    ...here,
    { name: 'Search', commands: [search, ...(path !== null && !isSure ? [open] : [])] },
    ...found,
  ]
}

/** Sessions, tasks and issues by title or id. */
function useThings(wanted: string, visit: (path: string) => void): CommandGroup[] {
  const [asked, setAsked] = useState('')
  const [typed, setTyped] = useTyped(asked, setAsked)
  if (typed !== wanted) setTyped(wanted)
  const sessions = useFoundSessions(asked, FEW, true)
  const tasks = useFoundTasks(asked, FEW, true)
  const issues = useFoundIssues(asked, FEW, true)
  // What was found for other words is nothing to choose from.
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
  ]
}

interface Titled {
  id: string
  title: string | null
  status: string
}

const SCHEME_WORDS = { system: 'as the system', light: 'light', dark: 'dark' } as const

function useSettings({ onClose, onKeys, onNote }: Options): Command[] {
  const [scheme, setScheme] = useScheme()
  const [doCharactersWork, setCharactersWork] = useCharacterKeys()
  const [undoTime, setUndoTime] = useUndoTime()
  const colours = SCHEMES.map(
    (one): Command => ({
      id: `scheme-${one}`,
      label: `Colours: ${SCHEME_WORDS[one]}`,
      ...(one === scheme && { detail: 'now' }),
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
      ...(seconds === undoTime && { detail: 'now' }),
      run: () => {
        setUndoTime(seconds)
        onClose()
      },
    }),
  )
  return [
    ...colours,
    ...notifications(onClose, onNote),
    { id: 'keys', label: 'Show all keys', keys: '?', run: onKeys },
    {
      id: 'character-keys',
      label: `Turn keys of one character ${doCharactersWork ? 'off' : 'on'}`,
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
              ? 'The system tells of what needs you'
              : isOn
                ? 'Notifications are off'
                : 'The browser does not allow notifications: see its settings for this page',
          ),
        )
      },
    },
  ]
}
