import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../src/api/client'
import type { SessionId } from '../../src/domain/ids'
import { claudeCli } from '../../src/util/claude-cli'
import { cleanUp } from '../e2e/clean-up'
import { type CliVersion, Lab } from '../e2e/real-cli'
import { until } from '../lab/until'
import { PageServer } from './page-server'

/** What every part of a world stands on: the agent's own surroundings with its scripted model, and a server that follows them. */
export interface Ground {
  lab: Lab
  server: PageServer
  client: Client
}

export interface GroundOptions {
  version?: CliVersion
  settings?: Record<string, unknown>
  /** argv that starts `lode`. */
  command?: string[]
}

/** How long a part of a world may take to come about, on a machine that does other things as well. */
export const PATIENCE_MS = 60_000

export async function layGround({ version = '2.1.328', settings = {}, command }: GroundOptions = {}): Promise<Ground> {
  const lab = await Lab.start({ version, script: 'dashboard' })
  try {
    prepareProject(lab.project)
    const server = await PageServer.start({
      home: join(lab.root, 'l'),
      cwd: lab.project,
      env: lab.environment(),
      settings: {
        'claude.roots': [lab.claudeRoot],
        'worker.enabled': true,
        'worker.executable': claudeCli(version),
        'worker.concurrency': 8,
        // Everything else asks.
        'worker.allow': ['Bash(echo *)', 'Bash(sleep *)'],
        'collector.rescanSeconds': 2,
        ...settings,
      },
      ...(command && { command }),
    })
    return { lab, server, client: server.client }
  } catch (error) {
    await lab.stop()
    throw error
  }
}

export async function clearGround({ lab, server }: Ground): Promise<void> {
  await cleanUp(
    () => server.stop(),
    () => lab.stop(),
  )
}

/** Waits until the record has the main transcript of a session as it is on disk now. */
export async function recorded({ client, lab }: Ground, id: SessionId): Promise<void> {
  await until(
    `the record of session ${id}`,
    async () => {
      const found = await client.sessions.journals(id).catch(() => null)
      const size = statSync(lab.transcript(id), { throwIfNoEntry: false })?.size
      return found?.journals.some(
        ({ path, incarnations }) => path.endsWith(`${id}.jsonl`) && incarnations[0]?.size === size,
      )
    },
    PATIENCE_MS,
  )
}

/** A pixel that is a picture. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAGElEQVR4nGP4z8CAFWEXHbQSDAz/sYoBAFgCL9EYQUv+AAAAAElFTkSuQmCC'

function prepareProject(folder: string): void {
  const files: Record<string, string | Uint8Array> = {
    'tariff.ts': [
      "import { light } from './light'",
      '',
      'const RATE = 12.5',
      'const MINIMUM = 20',
      '',
      'export const fee = (days: number) => Math.floor(days * RATE)',
      '',
      'export function bill(days: number) {',
      '  return fee(days) + light',
      '}',
      '',
    ].join('\n'),
    'light.ts': 'export const light = 4\n',
    'check.sh': 'echo "checking the tariff"\necho "light.ts: no test" >&2\nexit 3\n',
    'buoy.png': Buffer.from(PIXEL, 'base64'),
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
}
