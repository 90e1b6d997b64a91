/** Puts Lodeline's mod where Claude Code loads it at its next start, and takes it out again without a trace. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import { pluginFolder } from '../agents/agent-setup'

type Environment = Readonly<Record<string, string | undefined>>

/** `foreign`: something else has the folder's name. */
export type ModState = 'none' | 'ready' | 'outdated' | 'foreign'

/** The release of Claude Code that loads mods first. */
export const FIRST_WITH_MODS = '2.1.287'

const NAME = 'lodeline'
const MANIFEST = '.claude-plugin/plugin.json'
const HOOKS = 'hooks/hooks.json'
const CODE = 'hooks/register.ts'
/** What Claude Code itself writes beside a mod that it loads for its author. */
const OF_THE_CLI = ['.claude-plugin/types', 'tsconfig.json']

/** Below the user's own folder of Claude Code. */
export const modFolder = ({ CLAUDE_CONFIG_DIR: folder, HOME }: Environment, cwd: string): string =>
  join(folder ? resolve(cwd, folder) : join(HOME || homedir(), '.claude'), 'skills', NAME)

/**
 * Its files by their path in the folder. It has no command hooks: those of the settings go on as they are.
 *
 * @param home  Lodeline's folder; `null` = the one that every command takes
 * @throws `not_found`  the plugin is not beside this program
 */
export function modFiles(home: string | null): ReadonlyMap<string, string> {
  const plugin = pluginFolder()
  if (plugin === null)
    throw new AppError('not_found', 'The mod is not beside this program.', {
      hint: 'Use the folder plugin of its source: claude --plugin-dir PLUGIN.',
    })
  const read = (path: string) => readFileSync(join(plugin, path), 'utf8')
  const hooks = { description: "Lodeline's mod: see hooks/register.ts", modules: ['./register.ts'], hooks: {} }
  const code = read(CODE)
  return new Map([
    [MANIFEST, read(MANIFEST)],
    [HOOKS, `${JSON.stringify(hooks, null, 2)}\n`],
    [CODE, home === null ? code : code.replace("const HOME = ''", () => `const HOME = ${JSON.stringify(home)}`)],
  ])
}

/** Changes nothing. */
export function modState(folder: string, files: ReadonlyMap<string, string>): ModState {
  if (!existsSync(folder)) return 'none'
  if (!isModAt(folder)) return 'foreign'
  return [...files].every(([path, text]) => textAt(join(folder, path)) === text) ? 'ready' : 'outdated'
}

/** @throws `conflict` the folder is somebody else's */
export function requireFree(folder: string, files: ReadonlyMap<string, string>): void {
  if (modState(folder, files) === 'foreign')
    throw new AppError('conflict', `${folder} is there already, and is not Lodeline's.`, {
      hint: 'Move it away, then try again.',
    })
}

/** Twice is harmless. @throws `conflict` the folder is somebody else's */
export function installMod(folder: string, files: ReadonlyMap<string, string>): void {
  requireFree(folder, files)
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Takes out what is ours; another file in the folder stays, and the folder with it. @returns whether it was there */
export function removeMod(folder: string): boolean {
  if (!isModAt(folder)) return false
  for (const path of [MANIFEST, HOOKS, CODE, ...OF_THE_CLI])
    rmSync(join(folder, path), { recursive: true, force: true })
  for (const place of [join(folder, 'hooks'), join(folder, '.claude-plugin'), folder, dirname(folder)])
    if (existsSync(place) && readdirSync(place).length === 0) rmdirSync(place)
  return true
}

/** Whether the folder holds our mod, of whatever version. */
export function isModAt(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8'))
    return (manifest as { name?: unknown } | null)?.name === NAME
  } catch {
    return false
  }
}

/** `null` = there is no such file. */
export function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** How it stands with the mod of this user, by the files that this program has; `unknown` = it has none to compare with. */
export function modOf(home: string | null, env: Environment, cwd: string): ModState | 'unknown' {
  const folder = modFolder(env, cwd)
  if (!isModAt(folder)) return 'none'
  try {
    return modState(folder, modFiles(home))
  } catch {
    return 'unknown'
  }
}
