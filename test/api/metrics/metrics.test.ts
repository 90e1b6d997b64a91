import { expect, test } from 'bun:test'
import { createApp } from '../../../src/api/server/app'
import { onEachDatabase } from '../../store-contract/databases'
import { addAgent, addTask, sampleAttempt } from '../../store-contract/tasks-sample'
import { KeptLog, KeptServices } from '../start-api'

/** What a text of OpenMetrics says. @throws Error when it is none */
function parsed(text: string): Map<string, number> {
  const lines = text.split('\n')
  expect(lines.splice(-2)).toEqual(['# EOF', ''])
  const values = new Map<string, number>()
  const types = new Map<string, string>()
  for (const line of lines) {
    const [, kind, name = '', rest] = /^# (TYPE|UNIT|HELP) ([a-z_]+) (.+)$/.exec(line) ?? []
    if (kind !== undefined) {
      if (kind === 'TYPE') {
        expect([name, types.has(name)]).toEqual([name, false])
        types.set(name, rest ?? '')
      }
      if (kind === 'UNIT') expect(name.endsWith(`_${rest}`)).toBe(true)
      continue
    }
    const [, sample = '', value] =
      /^([a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*\})?) (-?[\d.e+-]+)$/.exec(line) ?? []
    if (value === undefined) throw new Error(`no sample: ${line}`)
    const base = sample.replace(/\{.*/, '')
    // A sample belongs to the metric before it.
    const [last = '', type] = [...types].at(-1) ?? []
    const suffixes = { counter: ['_total'], info: ['_info'], histogram: ['_bucket', '_count', '_sum'] }[type ?? ''] ?? [
      '',
    ]
    expect(suffixes.map((suffix) => last + suffix)).toContain(base)
    expect([sample, values.has(sample)]).toEqual([sample, false])
    values.set(sample, Number(value))
  }
  return values
}

onEachDatabase((database) => {
  const make = (store = database.store) =>
    createApp({
      store,
      services: new KeptServices(),
      access: { kind: 'in_process' },
      version: '1.2.3',
      runtime: 'test',
      log: new KeptLog(),
    })
  const ask = (app: ReturnType<typeof make>, path: string) => app.fetch(new Request(`http://lodeline.invalid${path}`))

  test('figures of the queue, the requests and the process are told as OpenMetrics', async () => {
    const app = make()
    await addTask(database.store)
    const task = await addTask(database.store, { status: 'in_progress' })
    const { key } = await addAgent(database.store)
    // One lease that ran out long ago.
    await database.store.write((tx) => tx.tasks.insertAttempt(sampleAttempt(task, key)))
    for (const path of ['/api/health', '/api/health', '/api/tasks/none', '/no/such/path', '/api/x"y\\z'])
      await ask(app, path)
    const response = await ask(app, '/api/metrics')
    expect(response.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    const values = parsed(await response.text())
    const of = (name: string) => values.get(name)
    expect(of('target_info{service_name="lodeline",service_version="1.2.3"}')).toBe(1)
    expect(of('lodeline_database_up')).toBe(1)
    expect(of('lodeline_tasks{lodeline_task_status="unassigned"}')).toBe(1)
    expect(of('lodeline_tasks{lodeline_task_status="in_progress"}')).toBe(1)
    expect([of('lodeline_attempts'), of('lodeline_leases_overdue'), of('lodeline_questions')]).toEqual([1, 1, 0])
    expect(of('process_memory_usage_bytes')).toBeGreaterThan(1_000_000)
    const health = 'http_request_method="GET",http_route="/api/health",http_response_status_code="200"'
    expect(of(`http_server_request_duration_seconds_count{${health}}`)).toBe(2)
    expect(of(`http_server_request_duration_seconds_bucket{${health},le="+Inf"}`)).toBe(2)
    const missing = 'http_request_method="GET",http_route="/api/tasks/:id",http_response_status_code="404"'
    expect(of(`http_server_request_duration_seconds_count{${missing}}`)).toBe(1)
    // A path that is none of ours makes no series.
    expect([...values.keys()].filter((name) => name.includes('http_route="/no'))).toEqual([])
    const buckets = [...values].filter(([name]) => name.includes('_bucket{') && name.includes(health)).map(([, n]) => n)
    expect(buckets.length).toBe(15)
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
  })

  test('without a database the server still tells what it knows by itself', async () => {
    const store = await database.open()
    const app = make(store)
    await store.close()
    const values = parsed(await (await ask(app, '/api/metrics')).text())
    expect(values.get('lodeline_database_up')).toBe(0)
    expect(values.get('process_uptime_seconds')).toBeGreaterThanOrEqual(0)
  })
})
