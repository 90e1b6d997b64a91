/**
 * Background work of the real CLI, with hooks as `lode setup claude` installs them and a server that follows the files: the manifest has
 * a launch at once, a launch that repeats it is refused once, and what a killed CLI left is found and ended.
 */
import { afterEach, beforeEach, expect } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../src/app/manifests/project-manifest'
import { cliPath, EACH_CLI } from '../lab/claude'
import { inTurn } from '../lab/in-turn'
import { type LabWith, openLab } from '../lab/lab'
import { isAlive } from '../lab/processes'
import type { ModelRequest } from '../lab/request-log'
import { until } from '../lab/until'
import { LODE } from '../lode-command'

const sent = (request: ModelRequest | undefined) => JSON.stringify(request?.body.messages ?? [])

inTurn(EACH_CLI, 'Claude Code %s', (test, version) => {
  let lab: LabWith<'claude'>
  let server: Bun.Subprocess<'ignore', 'ignore', 'ignore'> | undefined

  beforeEach(async () => {
    lab = await openLab({ claude: { version, script: 'duplicates' } })
    await lode('config', 'set', 'agents.claude-code.executable', cliPath(version))
    await lode('config', 'set', 'worker.enabled', 'false')
    await lode('config', 'set', 'listen.port', '0')
    await lode('session', 'list')
    await lode('setup', 'claude', '--user')
    server = Bun.spawn([...LODE, 'up'], {
      cwd: lab.claude.project,
      env: lab.claude.environment(),
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await until('the server', () => existsSync(join(lab.claude.home, '.lodeline/server.json')))
  })
  afterEach(async () => {
    server?.kill('SIGTERM')
    await server?.exited
    await lab.stop()
  })

  async function lode(...args: string[]): Promise<string> {
    const child = Bun.spawn([...LODE, ...args], {
      cwd: lab.claude.project,
      env: lab.claude.environment(),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    expect([args, code, err]).toEqual([args, 0, expect.anything()])
    return out
  }
  const asked = (rule: string) => lab.claude.requests().filter((request) => request.rule === rule)
  const line = (content: string) => ({ type: 'user', message: { role: 'user', content } })
  const linesIn = (path: string): Record<string, unknown>[] =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((text) => JSON.parse(text))
      : []
  const manifest = () => {
    const folder = join(lab.claude.home, '.lodeline/agent-manifests')
    return existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.endsWith('.jsonl'))
          .flatMap((name) => linesIn(join(folder, name)))
      : []
  }
  const ofProject = () =>
    linesIn(join(projectFolder(lab.claude.project, join(lab.claude.home, '.lodeline')), 'background-agents.jsonl'))

  test('a launch stands in both manifests at once; one that repeats it is refused once, and passes when it is made again', async () => {
    const session = crypto.randomUUID()
    const working = lab.claude.steer({ sessionId: session })
    working.send(line('chart the waters'))
    await until('the launch in the manifest', () => manifest().length === 1)
    const [launch] = manifest()
    expect(launch).toMatchObject({
      subagent_type: 'general-purpose',
      description: 'Chart the reef',
      prompt_preview: 'Chart the reef and note every wreck',
      session_id: session,
      cwd: lab.claude.project,
      status: 'launched',
      tool_use_id: expect.stringMatching(/^toolu_/),
      output_file: expect.stringContaining(`${launch?.agent_id}.output`),
    })
    await until('the launch in the list of the project', () => ofProject().length === 1)
    expect(ofProject()).toEqual(manifest())
    // Nobody asked for a file in the repository: neither `up`, nor `setup claude`, nor the launch made one.
    const status = Bun.spawnSync(['git', 'status', '--porcelain', '--ignored', '--untracked-files=all'], {
      cwd: lab.claude.project,
    })
    expect(status.stdout.toString()).toBe('')
    expect(readdirSync(lab.claude.project)).toEqual(['.git'])
    await until('the first answer', () => asked('agent').length === 2)

    working.send(line('do it again'))
    await until('the repeated launch', () => asked('again').length === 3)
    const refused = sent(asked('again')[1])
    expect(refused).toContain('Lodeline: this launch repeats a sub-agent of this conversation')
    expect(refused).toContain(`sub-agent ${launch?.agent_id}`)
    expect(refused).toContain('is still running in the background')
    const passed = sent(asked('again')[2])
    expect(passed.split('Lodeline: this launch repeats').length - 1).toBe(1)
    expect(passed.split('Async agent launched').length - 1).toBe(2)
    await until('the second launch in the manifest', () => manifest().length === 2)

    const recovered = JSON.parse(await lode('recover', '--json'))
    expect(recovered.work.map((one: { state: string }) => one.state)).toEqual(['running', 'running'])
    await working.crash()
    // The server looks for what was lost every half minute.
    await until('both to be lost', () => manifest().length === 4)
    expect(manifest().map(({ status }) => status)).toEqual(['launched', 'launched', 'lost', 'lost'])
    expect(await lode('recover')).toContain('2 launches lost')
    for (const { agent_id } of manifest().slice(0, 2)) await lode('subagent', 'mark-read', String(agent_id))
    expect(JSON.parse(await lode('recover', '--json')).work).toEqual([])
  })

  test('a launch that repeats what a killed CLI lost is answered in the resumed conversation', async () => {
    const session = crypto.randomUUID()
    const working = lab.claude.steer({ sessionId: session })
    working.send(line('chart the waters'))
    await until('the launch', () => manifest().length === 1 && asked('agent').length === 2)
    await working.crash()
    const resumed = lab.claude.steer({ resume: session })
    resumed.send(line('do it again'))
    await until('the repeated launch', () => asked('again').length === 3)
    expect(sent(asked('again')[1])).toContain('was lost with its process before it ended')
    expect(sent(asked('again')[2])).toContain('Async agent launched')
    await resumed.crash()
  })

  test('a background shell is shown with the end of its output, and ended by its process even when the CLI is gone', async () => {
    const session = crypto.randomUUID()
    const working = lab.claude.steer({ sessionId: session })
    working.send(line('shell please'))
    await until('the shell in the manifest', () => manifest().length === 1)
    const [launch] = manifest()
    expect(launch).toMatchObject({ subagent_type: 'shell', status: 'launched', session_id: session })
    const id = String(launch?.agent_id)
    await until('its output', async () => (await lode('subagent', 'output', id, '--tail', '1')).includes('line'))
    await working.crash()
    // It goes on: that is what is said of it, with what it has put out since.
    await until('the end of the CLI to be seen', async () => (await lode('session', 'show', session)).includes('gone'))
    const recovered = async () => JSON.parse(await lode('recover', '--json')).work
    const [running] = await recovered()
    expect(running).toMatchObject({ state: 'running', subagent: { id, status: 'running' }, run: { status: 'running' } })
    const grown = Number(/line (\d+)/.exec(running.tail.at(-1))?.[1])
    await until('more output', async () => !(await recovered())[0].tail.at(-1).endsWith(`line ${grown}`))
    expect(await lode('recover')).toContain('1 launch still running')
    expect(manifest().map(({ status }) => status)).toEqual(['launched'])
    const stopped = JSON.parse(await lode('subagent', 'stop', id.slice(0, 5), '--json'))
    expect(stopped).toMatchObject({ id, sessionId: session, isStopped: true, processId: expect.any(Number) })
    await until('the shell to be gone', () => !isAlive(stopped.processId))
    // Somebody's word ended it, which stays so; it is offered no more.
    expect(JSON.parse(await lode('subagent', 'show', id, '--json')).subagent).toMatchObject({ status: 'killed' })
    expect(await recovered()).toEqual([])
    expect(JSON.parse(await lode('recover', '--all', '--json')).work).toMatchObject([
      { state: 'killed', run: { status: 'killed', endedAt: expect.any(String) } },
    ])
    expect(manifest().map(({ status }) => status)).toEqual(['launched', 'killed'])
    expect(JSON.parse(await lode('subagent', 'stop', id, '--json'))).toMatchObject({ isStopped: false })
  })

  test('a background shell that ends by itself after its CLI was killed is shown as ended, until somebody marks it as read', async () => {
    const session = crypto.randomUUID()
    const working = lab.claude.steer({ sessionId: session })
    working.send(line('wait for the tide'))
    await until('the shell in the manifest', () => manifest().length === 1)
    const id = String(manifest()[0]?.agent_id)
    await working.crash()
    const recovered = async () => JSON.parse(await lode('recover', '--json')).work
    await until('the end of the CLI to be seen', async () => (await lode('session', 'show', session)).includes('gone'))
    expect(await recovered()).toMatchObject([{ state: 'running', subagent: { id } }])
    writeFileSync(join(lab.claude.project, 'tide'), '')
    await until('its end to be seen', async () => (await recovered())[0]?.state === 'ended')
    expect(await recovered()).toMatchObject([
      {
        run: { status: 'ended', statusEvidence: expect.stringContaining('nobody heard'), endedAt: expect.any(String) },
      },
    ])
    expect(await lode('recover')).toContain('1 launch ended after the CLI that launched it; outcome unknown')
    expect(manifest().map(({ status }) => status)).toEqual(['launched', 'ended'])
    expect(JSON.parse(await lode('subagent', 'mark-read', id, '--json'))).toMatchObject({ isNew: true })
    expect(await recovered()).toEqual([])
  })
})
