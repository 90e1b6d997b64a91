/** For tests: what people read, and the command lines in it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dir, '../..')

export interface Document {
  /** From the root of the repository. */
  path: string
  text: string
}

/** README, CONTRIBUTING, SECURITY and everything below docs/ and plugin/. */
export function documents(): Document[] {
  const below = ['docs', 'plugin'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => `${folder}/${path}`)
      .sort(),
  )
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...below].map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), 'utf8'),
  }))
}

export interface Block {
  document: string
  /** What follows the fence: `sh`, `sh run`, `json`, nothing. */
  language: string
  lines: string[]
}

/** The fenced blocks of a document. */
export function blocks({ path, text }: Document): Block[] {
  const found: Block[] = []
  let block: Block | undefined
  for (const line of text.split('\n')) {
    const fence = /^\s*```(.*)$/.exec(line)
    if (fence === null) block?.lines.push(line)
    else if (block !== undefined) block = undefined
    else {
      block = { document: path, language: (fence[1] ?? '').trim(), lines: [] }
      found.push(block)
    }
  }
  return found
}

/** A document's text without its front matter and its fenced blocks. */
export function prose({ text }: Document): string {
  return text.replace(/^---\n[\s\S]*?\n---\n/, '').replace(/^\s*```[\s\S]*?^\s*```/gm, '')
}

/** The words of each call of `lode` in a line of shell, without what pipes into it, redirections and comments. */
export function lodeCalls(line: string): string[][] {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(#.*$)|([^\s'"]+)/g)]
  const calls: string[][] = []
  let call: string[] | undefined
  let isFirst = true
  for (const [, single, double, comment, bare] of words) {
    if (comment !== undefined || bare === '>' || bare === '>>') break
    if (bare === '|' || bare === '&&' || bare === ';') {
      isFirst = true
      call = undefined
      continue
    }
    const word = single ?? double ?? bare ?? ''
    if (isFirst && word === 'lode') {
      call = []
      calls.push(call)
    } else {
      call?.push(word)
    }
    isFirst = false
  }
  return calls
}

/** The anchors that a document's headings have on GitHub. */
export function anchors(document: Document): Set<string> {
  return new Set(
    [...prose(document).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  )
}

/** Links to files and anchors of the repository, as `[target, resolved path, anchor]`. */
export function localLinks({ path, text }: Document): { target: string; file: string; anchor: string }[] {
  const plain = prose({ path, text }).replace(/`[^`]*`/g, '')
  const targets = [...plain.matchAll(/\]\(([^)\s]+)\)|\bsrc="([^"]+)"/g)].map((match) => match[1] ?? match[2] ?? '')
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = target.split('#')
      const from = join(ROOT, path, '..')
      return { target, file: file === '' ? path : relative(ROOT, resolve(from, file)), anchor }
    })
}

/** Paths of the repository that a document names in code marks, as it names them. */
export function namedPaths(document: Document): string[] {
  const top = /^(?:src|test|web|scripts|bench|docs|plugin|bin)\/[\w./-]+$/
  return [...document.text.matchAll(/`([^`\n]+)`/g)]
    .map(([, code = '']) => code)
    .filter((code) => top.test(code) && !/NNNN|NAME|NOUN/.test(code))
}

export function isThere(path: string): boolean {
  return existsSync(join(ROOT, path))
}
