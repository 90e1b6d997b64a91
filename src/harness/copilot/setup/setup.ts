import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../../domain/errors'
import {
  HOOKS_ALONE,
  NOTHING_BESIDE,
  type SetupCheck,
  type SetupOptions,
  type SetupOutcome,
} from '../../../domain/harness/harness-setup'
import { addRows, ownRows, removeRows } from '../../hook-settings/hook-text'
import { requireFreeName, type ServersFile, serverPart } from '../../hook-settings/mcp-server'
import { readSettings } from '../../hook-settings/settings-file'
import {
  checkPart,
  type PartOutcome,
  type SettingsPart,
  setUpPart,
  takeDownPart,
} from '../../hook-settings/settings-part'
import { groupOf, hookRows } from './hook-rows'

const TITLE = 'Copilot CLI'

/** Puts our hooks into a file of hooks, and our tools into `mcp-config.json` of the same folder. @see HarnessSetup.setUp */
export async function setUp({ home, path, lode, isDryRun }: SetupOptions): Promise<SetupOutcome> {
  const parts = partsOf(path, lode)
  if (!existsSync(rootOf(path)))
    throw new AppError('not_found', `There is no folder ${rootOf(path)}.`, {
      hint: "Start 'copilot' once, or name its folder in COPILOT_HOME. Nothing was changed.",
    })
  requireFreeName(serversFile(path))
  // Both can be changed, or none is.
  for (const part of parts) setUpPart(part, { home, isDryRun: true })
  return outcomeOf(
    path,
    parts.map((part) => setUpPart(part, { home, isDryRun })),
  )
}

/** @see HarnessSetup.takeDown */
export async function takeDown({
  home,
  path,
  isDryRun,
}: Pick<SetupOptions, 'home' | 'path' | 'isDryRun'>): Promise<SetupOutcome> {
  return outcomeOf(
    path,
    partsOf(path, 'lode').map((part) => takeDownPart(part, { home, isDryRun })),
  )
}

/** @see HarnessSetup.check */
export async function check({ path, lode }: Pick<SetupOptions, 'path' | 'lode'>): Promise<SetupCheck> {
  const found = partsOf(path, lode).map(checkPart)
  return {
    file: path,
    installed: found.flatMap(({ installed }) => installed),
    missing: found.flatMap(({ missing }) => missing),
    outdated: found.flatMap(({ outdated }) => outdated),
    ...NOTHING_BESIDE,
    disablesHooks: [path, join(rootOf(path), 'settings.json'), join(rootOf(path), 'config.json')].some(disablesHooks),
  }
}

/** @throws `invalid` the file is in no folder of the CLI */
function partsOf(path: string, lode: string): SettingsPart[] {
  if (basename(dirname(path)) !== 'hooks' || !path.endsWith('.json'))
    throw new AppError('invalid', `${path} is no file of hooks that Copilot CLI reads for all projects.`, {
      hint: 'Give a .json file in the folder `hooks` of ~/.copilot. Nothing was changed.',
    })
  const rows = hookRows(lode)
  return [
    {
      path,
      agent: 'copilot',
      empty: '{\n  "version": 1\n}\n',
      wanted: rows,
      rowsIn: (text) => ownRows(TITLE, text),
      add: (text) => addRows(TITLE, text, rows, groupOf),
      remove: (text) => removeRows(TITLE, text),
    },
    serverPart(serversFile(path), lode),
  ]
}

const rootOf = (path: string): string => dirname(dirname(path))

const serversFile = (path: string): ServersFile => ({
  path: join(rootOf(path), 'mcp-config.json'),
  title: TITLE,
  removal: 'copilot mcp remove',
  entry: (line) => ({ type: 'local', command: '/bin/sh', args: ['-c', line], tools: ['*'] }),
})

function outcomeOf(file: string, parts: readonly PartOutcome[]): SetupOutcome {
  return {
    ...HOOKS_ALONE,
    file,
    added: parts.flatMap(({ added }) => added),
    removed: parts.flatMap(({ removed }) => removed),
    isChanged: parts.some(({ isChanged }) => isChanged),
    backup: parts.find(({ backup }) => backup !== null)?.backup ?? null,
  }
}

/** Its own settings may have comments. */
function disablesHooks(path: string): boolean {
  try {
    return /^\s*(?:\{\s*)?"disableAllHooks"\s*:\s*true/m.test(readSettings(path))
  } catch {
    return false
  }
}
