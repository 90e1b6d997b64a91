/**
 * A person has sessions of other agent CLIs open, with the real programs. Lodeline sees which, starts no second process in one, and sees
 * them end.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { harnessNamed } from '../../../src/harness/registry'
import { RUNNERS, type Runner, type RunnerScripts } from '../../agents/runners'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { processTree } from '../../lab/processes'
import { until } from '../../lab/until'

const SCRIPTS: RunnerScripts = {
  plain: [{ text: 'The word is HERON.' }],
  work: [
    { text: 'I light the lamp.', command: 'touch begun; while [ ! -e lit ]; do sleep 0.05; done' },
    { text: 'The lamp is lit.' },
  ],
}

const lab = new Lab()
const clis = new Map<string, Runner>()
let lode: Lode
beforeAll(async () => {
  for (const [name, start] of Object.entries(RUNNERS)) {
    const cli = await start(lab.folder(name), SCRIPTS)
    clis.set(name, cli)
    lab.ending(name, () => cli[Symbol.asyncDispose]())
  }
  lode = lab.addLode('l', {
    homes: Object.fromEntries([...clis].map(([name, { folder }]) => [name, [folder]])),
    env: Object.assign({}, ...[...clis.values()].map(({ environment }) => environment)),
    settings: {
      ...Object.fromEntries([...clis].map(([name, { program }]) => [`agents.${name}.executable`, program])),
      'worker.enabled': false,
    },
  })
  await lode.up()
})
afterAll(() => lab.stop(), 60_000)

test.each(Object.keys(RUNNERS))(
  'an open session of %s is live, is not opened twice, and is over when its process is',
  async (name) => {
    const cli = clis.get(name)
    if (cli === undefined) throw new Error(`no ${name}`)
    const session = await cli.run('Remember the word @@plain')
    const child = cli.goOn(session, 'Go on @@work')
    const processes = await until('its command', () => existsSync(join(cli.project, 'begun')) && processTree(child.pid))
    await until('its record', () =>
      lode.client.sessions.get(session).then(
        () => true,
        () => undefined,
      ),
    )
    const evidence = async () => (await lode.client.sessions.get(session)).session.statusEvidence
    const words = await until('its process', async () => /process (\d+) alive/.exec(await evidence()) ?? undefined)
    expect(processes).toContain(Number(words[1]))
    expect((await lode.client.sessions.get(session)).session.status).toBe('running')

    // What a worker asks before it goes on in a conversation.
    const run = await harnessNamed(name).run?.()
    if (run !== undefined)
      expect(processes).toContain(run.openedBy({ root: cli.folder, cwd: cli.project }, session)?.pid ?? 0)
    const resumed = lode.client.sessions.resume(session, { asTask: true, text: 'No' })
    expect(await resumed.catch(({ code }: { code: string }) => code)).toBe('conflict')
    if (name in RUNNERS) {
      const { exitCode, stderr } = await lode.lode('session', 'resume', session, '--print')
      expect([exitCode === 0, stderr]).toEqual([false, expect.stringContaining('Two processes at once')])
    }

    await Bun.write(join(cli.project, 'lit'), '')
    expect(await child.exited).toBe(0)
    expect(run?.openedBy({ root: cli.folder, cwd: cli.project }, session) ?? null).toBeNull()
    await until('its end', async () => /process \d+ gone/.test(await evidence()))
    for (const file of ['begun', 'lit']) rmSync(join(cli.project, file))
  },
)
