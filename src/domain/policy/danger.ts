import { glob } from '../../util/glob'
import { DANGER_KINDS, DANGER_RULES, type DangerKind, type DangerRule, RUNNERS } from './danger-rules'
import { type ShellCommand, shellCommands } from './shell-words'
import { subjectOf } from './tool-call'

/** Why a tool call is dangerous. */
export interface Danger {
  kind: DangerKind
  /** What it does, after "It …". */
  why: string
  /** What of the call says so, at most `PART` characters. */
  part: string
}

/** Characters of the part of a call that is shown. */
const PART = 120
/** How deep commands are looked for in the words of commands: `sudo bash -c "ssh host 'rm x'"`. */
const MOST_DEPTH = 5
/** Words that are looked at of one command, and commands of one call; what has more is not seen whole. */
const MOST_WORDS = 100
const MOST_COMMANDS = 300

/**
 * What is dangerous in a tool call, by `DANGER_RULES`, the worst first, each rule once. Rather too much than too little: a person looks
 * again, and nothing else follows from it.
 *
 * @param isCut  whether the input is not known whole
 */
export function dangersOf(toolName: string, input: unknown, isCut: boolean): Danger[] {
  const found = new Map<DangerRule, Danger>()
  const note = (rule: DangerRule, part: string): void => {
    if (!found.has(rule)) found.set(rule, { kind: rule.kind, why: rule.why, part: shorten(part) })
  }
  const name = toolName.toLowerCase()
  for (const rule of DANGER_RULES)
    if (rule.tools?.some((pattern) => glob(pattern.toLowerCase(), name))) note(rule, toolName)
  const isWhole = commandsOf(toolName, input).every((commands) => lookAt(commands, note))
  if (isCut || !isWhole) note(UNSEEN, toolName)
  return [...found.values()].sort((a, b) => DANGER_KINDS.indexOf(a.kind) - DANGER_KINDS.indexOf(b.kind))
}

const UNSEEN: DangerRule = { kind: 'unseen', why: 'is too long to be shown whole' }

/** Fields that hold a command in tools of agent CLIs. */
const COMMAND_FIELDS = ['command', 'cmd', 'script', 'commands'] as const

function commandsOf(toolName: string, input: unknown): ShellCommand[][] {
  if (typeof input === 'string') return [shellCommands(input)]
  if (typeof input !== 'object' || input === null) return []
  const subject = subjectOf(toolName, input)
  const fields = COMMAND_FIELDS.map((field) => (input as Record<string, unknown>)[field])
  const texts = [...new Set([...(toolName === 'Bash' && subject !== null ? [subject] : []), ...fields])]
  return texts.flatMap((value): ShellCommand[][] => {
    if (typeof value === 'string') return [shellCommands(value)]
    // A program with its arguments.
    return isTexts(value) && value.length > 0 ? [[{ words: [...value], isPiped: false }]] : []
  })
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** @returns whether everything was looked at */
function lookAt(commands: readonly ShellCommand[], note: (rule: DangerRule, part: string) => void): boolean {
  const left = commands.map((command) => ({ command, depth: 0 }))
  let isWhole = true
  for (let at = 0; at < left.length; at++) {
    const { command, depth } = left[at] as (typeof left)[number]
    const words = command.words.slice(0, MOST_WORDS)
    const part = words.join(' ')
    for (const { rule, pattern } of patternsFor(words[0] ?? '', command.isPiped))
      if (fits(pattern, words)) note(rule, part)
    isWhole &&= words.length === command.words.length
    if (!RUNNERS.has(programOf(words[0] ?? '').toLowerCase())) continue
    const inner = words.slice(1).flatMap((word, n): ShellCommand[] => {
      if (/[\s;&|]/.test(word)) return shellCommands(word)
      return word.startsWith('-') ? [] : [{ words: words.slice(n + 1), isPiped: false }]
    })
    if (depth === MOST_DEPTH || left.length + inner.length > MOST_COMMANDS) isWhole = false
    else left.push(...inner.map((one) => ({ command: one, depth: depth + 1 })))
  }
  return isWhole
}

/** A program by its name alone: `/usr/bin/git` is `git`. */
const programOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/i, '')

interface Pattern {
  rule: DangerRule
  pattern: readonly string[]
}

/** By the first word, where that has no star. */
const BY_PROGRAM = new Map<string, Pattern[]>()
const WITH_STAR: Pattern[] = []
for (const rule of DANGER_RULES)
  for (const command of rule.commands ?? []) {
    const [program = '', ...rest] = command
      .replace(/^\| /, '|')
      .toLowerCase()
      .split(/(?<=\S) /)
    const one: Pattern = { rule, pattern: [program, ...rest] }
    if (program.includes('*')) WITH_STAR.push(one)
    else BY_PROGRAM.set(program, [...(BY_PROGRAM.get(program) ?? []), one])
  }

function patternsFor(word: string, isPiped: boolean): Pattern[] {
  const program = programOf(word).toLowerCase()
  const names = isPiped ? [program, `|${program}`] : [program]
  return names.flatMap((name) => [
    ...(BY_PROGRAM.get(name) ?? []),
    ...WITH_STAR.filter(({ pattern: [first = ''] }) => glob(first, name)),
  ])
}

/** Whether the words after the first fit in their order. */
function fits([, ...wanted]: readonly string[], [, ...words]: readonly string[]): boolean {
  let at = 0
  for (const word of wanted) {
    const found = words.findIndex((one, n) => n >= at && fitsWord(word, one))
    if (found < 0) return false
    at = found + 1
  }
  return true
}

function fitsWord(pattern: string, word: string): boolean {
  // A letter of an option, which may stand in a group. Upper and lower case are different options.
  if (/^-[a-z]$/.test(pattern)) return /^-[A-Za-z0-9]+$/.test(word) && word.toLowerCase().includes(pattern.slice(1))
  return glob(pattern, word.toLowerCase())
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= PART ? line : `${line.slice(0, PART - 1)}…`
}
