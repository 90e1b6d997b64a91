import { absolutePattern } from '../../../../domain/policy/file-rules'
import { isFileTool, KNOWN_TOOLS } from '../../../../domain/policy/tool-call'
import { splitRule } from '../../../../domain/policy/tool-rules'
import { glob } from '../../../../util/glob'

/**
 * Rules in the format of `worker.deny` as the CLI's `permissions.deny`, which hold in every permission mode and for calls about which the
 * CLI asks nobody. Where the CLI can't express a pattern its rule is wider, never narrower.
 *
 * @param place  to what paths are relative
 */
export function denyRules(rules: readonly string[], place: { cwd: string; userHome: string }): string[] {
  const texts = new Set(rules.flatMap((rule) => expressed(rule, place)))
  return [...texts].filter((text) => !isBelowAnother(text, texts))
}

/**
 * A rule for a folder holds for all that is in it, so rules for parts of it say nothing more. The CLI's start takes half a millisecond
 * longer for each rule about reading (2.1.328).
 */
function isBelowAnother(text: string, texts: ReadonlySet<string>): boolean {
  const path = /^\w+\((\/\/.+)\)$/.exec(text)?.[1]
  if (path === undefined) return false
  const tool = text.slice(0, text.indexOf('('))
  for (let end = path.lastIndexOf('/'); end > 1; end = path.lastIndexOf('/', end - 1))
    if (texts.has(`${tool}(${path.slice(0, end)})`)) return true
  return false
}

function expressed(rule: string, place: { cwd: string; userHome: string }): string[] {
  const { name, pattern } = splitRule(rule)
  const tools =
    name.startsWith('mcp__') || !name.includes('*') ? [name] : KNOWN_TOOLS.filter((tool) => glob(name, tool))
  // The CLI knows no rule for every tool of every server; each server has one.
  const servers = name.includes('*') && !name.startsWith('mcp__') && glob(name, 'mcp__') ? ['mcp__*'] : []
  if (pattern === null) return [...tools, ...servers]
  return tools.flatMap((tool) => {
    if (isFileTool(tool)) return filePatterns(absolutePattern(pattern, place)).map((path) => `${tool}(${path})`)
    if (tool === 'Bash') return `Bash(${pattern})`
    if (tool === 'WebFetch') return domainOf(pattern) ?? tool
    return tool
  })
}

/**
 * A pattern in which `*` stands for any characters, as patterns of `.gitignore`, in which it stands for none of a folder. `//` begins at
 * the root.
 */
function filePatterns(path: string): string[] {
  let texts: string[][] = [[]]
  for (const name of path.split('/')) {
    const ways = waysOf(name)
    texts = texts.flatMap((text) => ways.map((way) => [...text, way]))
  }
  return texts.map((text) => text.join('/')).map((text) => (text.startsWith('/') ? `/${text}` : `//${text}`))
}

/** A star within a name stands for the rest of it, or for folders as well. */
function waysOf(name: string): string[] {
  if (/^\*+$/.test(name)) return ['**']
  return name.includes('*') ? ['*', '*/**/*'].map((star) => name.replace(/\*+/g, star)) : [name]
}

/** `https://example.com/*` is all of a host; a part of one can't be said. */
function domainOf(pattern: string): string | null {
  const host = /^(?:https?|\*):\/\/([\w.-]+)(?:\/.*)?$/.exec(pattern)?.[1]
  return host === undefined ? null : `WebFetch(domain:${host})`
}
