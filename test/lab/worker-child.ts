/** A worker in a process of its own, to be killed or stopped. Its argument is JSON; says `ready` once it takes tasks. */
import { runWorker } from '../../src/app/worker'
import { loadConfig } from '../../src/config/load'
import { createLogger } from '../../src/util/log'

export interface ChildOptions {
  home: string
  name: string
  serverUrl: string
  token: string
  cwd: string
  env: Record<string, string>
  settings: Record<string, string | number | boolean | readonly string[]>
}

const given = JSON.parse(process.argv[2] ?? '') as ChildOptions
const { home, name, serverUrl, token, cwd, env, settings } = given
const worker = await runWorker(loadConfig({ env, cwd, flags: { home, settings } }), {
  serverUrls: [serverUrl],
  token: () => token,
  name,
  env,
  log: createLogger({ file: `${home}/log/${name}.log`, level: 'info', terminalLevel: 'off' }),
})
process.stdout.write('ready\n')
process.on('SIGTERM', () => void worker.stop({ deadlineMs: 8_000 }))
await worker.done
process.exit(0)
