import type { AppError } from '../../domain/errors'
import type { Io } from '../kit/io'
import { block } from './text'

/**
 * One JSON document and a newline: indented on a terminal, on one line otherwise, so that a pipe gets a document per line.
 * Characters that a terminal could obey are escaped; JSON readers get back the same strings.
 */
export function json(value: unknown, isTerminal: boolean): string {
  const text = JSON.stringify(value, null, isTerminal ? 2 : 0)
  return `${text.replace(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, escaped)}\n`
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** An error for a person: what happened, then what to type next. */
export function errorText(error: AppError): string {
  const hint = error.hint === undefined ? '' : `\n  ${block(error.hint).replaceAll('\n', '\n  ')}`
  return `lode: ${block(error.message)}${hint}\n`
}

/** The same for a program: one line of JSON on stderr. */
export function errorJson(error: AppError): string {
  const { code, message, hint, details } = error
  return json({ error: { code, message, hint, details } }, false)
}

const STYLES = { bold: ['\u001b[1m', '\u001b[22m'], dim: ['\u001b[2m', '\u001b[22m'] } as const

/** Whether colour may be used: a terminal, not switched off by `--no-color`, `NO_COLOR` or `TERM=dumb`. */
export function hasColor(io: Io, allowsColor: boolean): boolean {
  return allowsColor && io.isTerminal && !io.env.NO_COLOR && io.env.TERM !== 'dumb'
}

/** Emphasis only: nothing is said by it alone. */
export function style(text: string, name: keyof typeof STYLES, enabled: boolean): string {
  return enabled ? STYLES[name][0] + text + STYLES[name][1] : text
}
