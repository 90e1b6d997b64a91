import { askedInLine } from '../../domain/session/call-parts'

/** The first `limit` UTF-16 units of a text, without half a character at its end. */
export function cutAt(text: string, limit: number): { text: string; isCut: boolean } {
  if (text.length <= limit) return { text, isCut: false }
  const last = text.charCodeAt(limit - 1)
  return { text: text.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit), isCut: true }
}

/** What a call was given, as far as its event has it. @param text  the call's name, then its input; words may stand before */
export function callInput({ name, text }: { name: string; text: string | null }): string {
  const whole = text ?? ''
  const at = whole.indexOf(name)
  return (at < 0 ? whole : whole.slice(at + name.length)).trim()
}

/** Characters of what is said of a call in one line. */
const CALL = 200

/** A call in one line: its name and the beginning of its input. */
export function callLine(call: { name: string; text: string | null }): string {
  const input = askedInLine(callInput(call)).replace(/\s+/g, ' ')
  return cutAt(input === '' ? call.name : `${call.name}: ${input}`, CALL).text
}

/** The last instant that a date knows, in milliseconds. */
const MAX_TIME = 8.64e15
export const isoTime = (at: number): string => new Date(Math.max(-MAX_TIME, Math.min(at, MAX_TIME))).toISOString()
export const maybeIso = (at: number | null): string | null => (at === null ? null : isoTime(at))

/** An id as an argument of a command that a person copies; `null` = it is none that could stand there as it is. */
export const argument = (id: string): string | null => (/^[\w][\w.-]{0,199}$/.test(id) ? id : null)
