/** Settings and Lodeline's tools together: Claude Code keeps its MCP servers in files of their own. */
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { SetupCheck, SetupCli, SetupOptions, SetupOutcome } from '../../../domain/harness/harness-setup'
import { requireFreeName, type ServersFile, serverPart } from '../../hook-settings/mcp-server'
import { checkPart, type SettingsPart, setUpPart, takeDownPart } from '../../hook-settings/settings-part'
import { userSettings } from './places'
import { checkSetup, setUp, takeDown } from './setup'

/** @throws as `HarnessSetup.setUp` */
export async function setUpAll(options: SetupOptions): Promise<SetupOutcome> {
  const { home, path, lode, cli, mcp, isDryRun } = options
  const file = serversFile(path, cli)
  if (mcp === true && file === null)
    throw new AppError('invalid', `Claude Code reads no MCP servers for ${path} alone.`, {
      hint: 'Use --mcp with --user or --project. Nothing was changed.',
    })
  const part = partOf(file, lode)
  if (part === null || (mcp !== true && !isThere(part))) return setUp(options)
  if (file !== null) requireFreeName(file)
  // Both can be changed, or none is.
  setUpPart(part, { home, isDryRun: true })
  setUp({ ...options, isDryRun: true })
  return withPart(setUp(options), setUpPart(part, { home, isDryRun }))
}

/** @throws as `HarnessSetup.takeDown` */
export async function takeDownAll(
  options: Pick<SetupOptions, 'home' | 'path' | 'isDryRun' | 'cli'>,
): Promise<SetupOutcome> {
  const { home, path, cli, isDryRun } = options
  const part = partOf(serversFile(path, cli), 'lode')
  if (part === null || !isThere(part)) return takeDown(options)
  return withPart(takeDown(options), takeDownPart(part, { home, isDryRun }))
}

/** @throws as `HarnessSetup.check` */
export async function checkAll(
  options: Pick<SetupOptions, 'path' | 'lode' | 'version' | 'wakes' | 'mcp' | 'cli'>,
): Promise<SetupCheck> {
  const check = checkSetup(options)
  const part = partOf(serversFile(options.path, options.cli), options.lode)
  if (part === null || (options.mcp !== true && !isThere(part))) return check
  const found = checkPart(part)
  return {
    ...check,
    installed: [...check.installed, ...found.installed],
    missing: [...check.missing, ...found.missing],
    outdated: [...check.outdated, ...found.outdated],
  }
}

/** The file of MCP servers that goes with a file of settings; `null` = the CLI has none for it. */
function serversFile(path: string, { env, cwd }: SetupCli): ServersFile | null {
  const { CLAUDE_CONFIG_DIR: folder, HOME } = env
  const isUsers = path === userSettings(env, cwd)
  const isProjects = basename(path) === 'settings.json' && basename(dirname(path)) === '.claude'
  if (!isUsers && !isProjects) return null
  return {
    path: isUsers
      ? join(folder ? resolve(cwd, folder) : HOME || homedir(), '.claude.json')
      : join(dirname(dirname(path)), '.mcp.json'),
    title: 'Claude Code',
    removal: 'claude mcp remove',
    entry: (line) => ({ type: 'stdio', command: '/bin/sh', args: ['-c', line] }),
  }
}

const partOf = (file: ServersFile | null, lode: string): SettingsPart | null =>
  file === null ? null : serverPart(file, lode)

const isThere = (part: SettingsPart): boolean => {
  const { installed, outdated } = checkPart(part)
  return installed.length + outdated.length > 0
}

const withPart = (done: SetupOutcome, part: ReturnType<typeof setUpPart>): SetupOutcome => ({
  ...done,
  added: [...done.added, ...part.added],
  removed: [...done.removed, ...part.removed],
  isChanged: done.isChanged || part.isChanged,
  backup: done.backup ?? part.backup,
  changes: [...(done.changes ?? []), ...(part.change === null ? [] : [part.change])],
})
