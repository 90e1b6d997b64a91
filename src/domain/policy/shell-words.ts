/** One command of a line of a shell: `git push -f` of `cd x && git push -f`. */
export interface ShellCommand {
  /** As the program gets them: without quotes. What the shell puts in only when it runs stands for nothing here. */
  words: string[]
  /** Whether it reads what the command before it writes. */
  isPiped: boolean
}

/** Words that may stand before a command without being one. */
const BEFORE = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', 'for', '!', '{', 'coproc', 'function'])

/**
 * The commands of a line or script for a shell, also of those in `$(…)`, backquotes and parentheses, each when it ends. It reads any
 * text in one pass and refuses none: of what is no shell text it finds words all the same. Comments and here-documents are read as
 * commands too, so it finds more commands than would run rather than fewer.
 */
export function shellCommands(text: string): ShellCommand[] {
  const found: ShellCommand[] = []
  let now = opened(false, '')
  const outer: Open[] = []
  const endWord = (): void => {
    if (now.hasWord && !(now.words.length === 0 && (BEFORE.has(now.word) || /^\w+\+?=/.test(now.word))))
      now.words.push(now.word)
    now.word = ''
    now.hasWord = false
  }
  const endCommand = (isPiped: boolean): void => {
    endWord()
    if (now.words.length > 0) found.push({ words: now.words, isPiped: now.isPiped })
    now.words = []
    now.isPiped = isPiped
  }
  /** A command within the command; the outer one goes on behind it. */
  const enter = (end: string): void => {
    outer.push(now)
    now = opened(false, end)
  }
  const leave = (): void => {
    endCommand(false)
    now = outer.pop() ?? opened(false, '')
    now.hasWord = true
  }
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    const next = text.charAt(at + 1)
    if (sign === '\\' && now.quote !== "'") {
      // At the end of a line it joins two lines.
      if (next !== '\n') add(now, next)
      at++
    } else if (now.quote === "'") {
      if (sign === "'") now.quote = ''
      else add(now, sign)
    } else if (sign === '`') {
      if (now.end === '`') leave()
      else enter('`')
    } else if (sign === '$' && next === '(') {
      enter(')')
      at++
    } else if (now.quote === '"') {
      if (sign === '"') now.quote = ''
      else add(now, sign)
    } else if (sign === "'" || sign === '"') {
      now.quote = sign
      now.hasWord = true
    } else if ((sign === '<' || sign === '>') && next === '(') {
      enter(')')
      at++
    } else if (sign === '(') {
      endCommand(false)
      enter(')')
    } else if (sign === ')') {
      if (now.end === ')') leave()
      else endCommand(false)
    } else if (sign === '|') {
      const isOr = next === '|'
      endCommand(!isOr)
      if (isOr || next === '&') at++
    } else if (sign === '&' && (next === '>' || text.charAt(at - 1) === '>')) {
      // In `2>&1` and `&>file` it joins nothing.
    } else if (sign === ';' || sign === '&' || sign === '\n' || sign === '\r') endCommand(false)
    else if (sign === ' ' || sign === '\t' || sign === '<' || sign === '>') endWord()
    else add(now, sign)
  }
  for (endCommand(false); outer.length > 0; endCommand(false)) now = outer.pop() ?? now
  return found
}

interface Open extends ShellCommand {
  word: string
  /** A word may be empty: `''`. */
  hasWord: boolean
  quote: '' | '"' | "'"
  /** What ends it; empty = the end of the text. */
  end: string
}

const opened = (isPiped: boolean, end: string): Open => ({
  words: [],
  isPiped,
  word: '',
  hasWord: false,
  quote: '',
  end,
})

function add(open: Open, sign: string): void {
  open.word += sign
  open.hasWord = true
}
