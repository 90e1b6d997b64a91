import type { Question, Task } from '../../domain/task/task'
import { oneLine } from '../print/text'
import type { Context } from './context'

/** What a terminal can show of the work in it, also where its tab is hidden. */
export type TerminalStatus = 'working' | 'blocked' | 'idle' | 'done' | 'error'

/** Tells the terminal; `null` = nothing more. The same again is not told again. */
export type TellTerminal = (status: TerminalStatus | null, message?: string) => void

/** Characters of a message. */
const MOST_TEXT = 120
const ESC = '\u001b'

/** ConEmu's progress, which Windows Terminal, Ghostty and others show: 0 = none, 2 = error, 3 = at work, 4 = held up. */
const PROGRESS = { working: '3', blocked: '4', idle: '0', done: '0', error: '2;100' } as const satisfies Record<
  TerminalStatus,
  string
>

/**
 * Reports the state to the terminal on stderr by the Program Status Protocol (OSC 7501,
 * https://www.superlogical.com/rex/docs/build/program-status), by progress (OSC 9;4), and by a notification (OSC 777) for what needs a
 * person or is over. Terminals pass over what they do not know. Reports nothing where stderr is no terminal, with `NO_COLOR`, or on one
 * that is `dumb` or a plain console.
 */
export function terminalStatus({ io, globals }: Pick<Context, 'io' | 'globals'>): TellTerminal {
  const { NO_COLOR, TERM } = io.env
  if (!io.isErrTerminal || globals.isQuiet || NO_COLOR || TERM === undefined || TERM === 'dumb' || TERM === 'linux')
    return () => {}
  let last: string | null = null
  return (status, message = '') => {
    const text = oneLine(message).slice(0, MOST_TEXT)
    const told = `${status} ${text}`
    if (told === last || (status === null && last === null)) return
    last = status === null ? null : told
    io.err(sequences(status, text))
  }
}

/** Reports the open questions of a task, and without one that it is at work. */
export const tellQuestions =
  (tell: TellTerminal, title: string) =>
  ([question]: readonly Pick<Question, 'toolName'>[]): void =>
    question === undefined ? tell('working', title) : tell('blocked', `${title}: asks for ${question.toolName}`)

/** How a task's end is reported. */
export const endStatus = ({ status }: Pick<Task, 'status'>): TerminalStatus | null =>
  status === 'completed' ? 'done' : status === 'failed' ? 'error' : null

function sequences(status: TerminalStatus | null, text: string): string {
  if (status === null) return `${ESC}]7501;state=clear:app=lode${ESC}\\${ESC}]9;4;0${ESC}\\`
  const kind = status === 'blocked' ? ':kind=permission' : ''
  const message = text === '' ? '' : `:msg=${Buffer.from(text).toString('base64')}`
  const isNews = status === 'blocked' || status === 'done' || status === 'error'
  return [
    `${ESC}]7501;state=${status}${kind}:app=lode${message}${ESC}\\`,
    `${ESC}]9;4;${PROGRESS[status]}${ESC}\\`,
    // A semicolon would begin another field.
    isNews && text !== '' ? `${ESC}]777;notify;lode;${text.replaceAll(';', ',')}${ESC}\\` : '',
  ].join('')
}
