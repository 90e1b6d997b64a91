/** Configuration folders of agent CLIs that a shell's start-up files name, and that are not followed: people keep accounts apart so. */
import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Config } from '../../config/load'
import type { AgentName } from '../../domain/ids'
import { followed } from '../followed'

type Environment = Readonly<Record<string, string | undefined>>

export interface NamedFolder {
  agent: AgentName
  /** The CLI, as people call it. */
  title: string
  folder: string
  /** The file that names it. */
  file: string
}

const START_FILES = [
  '.bashrc',
  '.bash_profile',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.config/fish/config.fish',
]
/** Nobody writes more by hand. */
const MOST_BYTES = 1_000_000

/** Never fails. Only folders that are there; each once. */
export function namedFolders(config: Pick<Config, 'agents'>, env: Environment): NamedFolder[] {
  const home = env.HOME || homedir()
  const agents = followed(config)
  const taken = new Set(agents.flatMap(({ roots }) => roots.map((root) => resolve(root))))
  const found: NamedFolder[] = []
  for (const file of START_FILES.map((name) => join(home, name))) {
    const text = textOf(file)
    for (const { harness } of agents)
      for (const variable of Object.keys(harness.rootEnvironment('/')))
        for (const value of valuesOf(text, variable, home)) {
          const folder = harness.root({ HOME: home, [variable]: value })
          if (taken.has(folder) || !isFolder(folder)) continue
          taken.add(folder)
          found.push({ agent: harness.name, title: harness.title, folder, file })
        }
  }
  return found
}

/**
 * Absolute paths that a text of a shell gives the variable, in an assignment of its own, before a command or within an alias. What only the
 * shell itself could tell (another variable, a command) is left out.
 */
export function valuesOf(text: string, variable: string, home: string): string[] {
  const given = new RegExp(`(?<![\\w$])${variable}(?:=|[ \\t]+)("[^"\\n]*"|'[^'\\n]*'|[^\\s;&|'"\`()]+)`, 'g')
  return text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .flatMap((line) => [...line.matchAll(given)].map(([, value = '']) => expanded(value, home)))
    .filter((value) => value !== null)
}

function expanded(word: string, home: string): string | null {
  const value = word.replace(/^["']|["']$/g, '').replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, () => home)
  return isAbsolute(value) && !/[$`*?\\]/.test(value) ? resolve(value) : null
}

function textOf(file: string): string {
  try {
    const stats = statSync(file)
    return stats.isFile() && stats.size <= MOST_BYTES ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
