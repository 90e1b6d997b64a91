import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../../src/api/client'
import type { SessionId } from '../../../src/domain/ids'
import { type Claude, type CliVersion, cliPath } from '../../lab/claude'
import { type Lab, openLab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { PASS_ENVIRONMENT } from '../../lab/quick-start'
import { until } from '../../lab/until'

/** What every part of a world stands on: the agent's own surroundings with its scripted model, and a server that follows them. */
export interface Ground {
  claude: Claude
  server: Lode
  client: Client
}

export interface GroundOptions {
  settings?: Record<string, unknown>
}

/** The CLI whose work the pages show. */
const VERSION: CliVersion = '2.1.328'

/** @returns it with the lab that it stands in */
export async function layGround({ settings = {} }: GroundOptions = {}): Promise<Ground & { lab: Lab }> {
  const lab = await openLab({ claude: { version: VERSION, script: 'dashboard' } })
  const { claude } = lab
  try {
    prepareProject(claude.project)
    const server = lab.addLode('l', {
      hasFixedPort: true,
      claudeRoots: [claude.claudeRoot],
      cwd: claude.project,
      env: claude.environment(),
      settings: {
        'agents.claude-code.executable': cliPath(claude.version),
        'worker.concurrency': 8,
        'worker.sandbox': 'off',
        'worker.passEnvironment': PASS_ENVIRONMENT,
        // Everything else asks.
        'worker.allow': ['Bash(echo *)', 'Bash(sleep *)'],
        'collector.rescanSeconds': 2,
        ...settings,
      },
    })
    await server.up()
    return { lab, claude, server, client: server.client }
  } catch (error) {
    await lab.stop()
    throw error
  }
}

/** Waits until the record has the main transcript of a session as it is on disk now. */
export async function recorded({ client, claude }: Ground, id: SessionId): Promise<void> {
  await until(`the record of session ${id}`, async () => {
    const found = await client.sessions.journals(id).catch(() => null)
    const size = statSync(claude.transcript(id), { throwIfNoEntry: false })?.size
    return found?.journals.some(
      ({ path, incarnations }) => path.endsWith(`${id}.jsonl`) && incarnations[0]?.size === size,
    )
  })
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
