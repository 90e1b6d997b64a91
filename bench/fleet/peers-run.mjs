/** Runs in a folder that has the packages: prints jobs a second, of 1, 4 and 16 clients. */
import { run } from 'graphile-worker'
import PgBoss from 'pg-boss'

const connectionString = process.argv[2]
/** What the peers log goes elsewhere: the answer stands alone. */
const answer = process.stdout.write.bind(process.stdout)
process.stdout.write = process.stderr.write.bind(process.stderr)
const SECONDS = 3
const CLIENTS = [1, 4, 16]

const perSecond = async (clients, one) => {
  const startedAt = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (; performance.now() < startedAt + SECONDS * 1_000; count++) await one()
    }),
  )
  return Math.round(count / ((performance.now() - startedAt) / 1_000))
}

const waiting = new Map()
const runner = await run({
  connectionString,
  concurrency: 16,
  maxPoolSize: 10,
  noHandleSignals: true,
  pollInterval: 1_000,
  logger: undefined,
  taskList: { life: async ({ id }) => waiting.get(id)?.() },
})
let added = 0
const graphile = () =>
  new Promise((resolve, reject) => {
    const id = ++added
    waiting.set(id, () => {
      waiting.delete(id)
      resolve()
    })
    runner.addJob('life', { id }).catch(reject)
  })

const boss = new PgBoss({ connectionString, max: 10 })
await boss.start()
await boss.createQueue('life')
const pgBoss = async () => {
  await boss.send('life', { text: 'a life' })
  const [job] = await boss.fetch('life')
  if (job !== undefined) await boss.complete('life', job.id)
}

const values = { graphileWorker: {}, pgBoss: {} }
for (const [name, one] of [
  ['graphileWorker', graphile],
  ['pgBoss', pgBoss],
]) {
  await perSecond(16, one)
  for (const clients of CLIENTS) values[name][`clients${clients}PerSecond`] = await perSecond(clients, one)
}
await runner.stop()
await boss.stop({ graceful: false })
answer(JSON.stringify(values), () => process.exit(0))
