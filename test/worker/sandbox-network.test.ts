/** The network of a sandboxed run: what it can't reach, what it can, and that its agent CLI works through the proxy. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { needBubblewrap } from '../lab/bubblewrap'
import { CLI_VERSIONS } from '../lab/claude'
import { type LabWith, openLab } from '../lab/lab'

/** Servers of this machine: whatever reaches them is counted. */
class Outside {
  reached = 0
  readonly #tcp = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { open: () => this.#count(), data() {} } })
  readonly #tcp6 = Bun.listen({ hostname: '::1', port: 0, socket: { open: () => this.#count(), data() {} } })
  readonly abstract = `ld-${crypto.randomUUID()}`
  readonly #unix = Bun.listen({ unix: `\0${this.abstract}`, socket: { open: () => this.#count(), data() {} } })
  readonly #listed = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('LISTED SERVICE') })
  #udp: Bun.udp.Socket<'buffer'> | null = null

  async start(): Promise<void> {
    this.#udp = await Bun.udpSocket({ hostname: '127.0.0.1', port: 0, socket: { data: () => this.#count() } })
  }

  get ports() {
    const [listed, udp] = [this.#listed.port ?? 0, this.#udp?.port ?? 0]
    return { tcp: this.#tcp.port, tcp6: this.#tcp6.port, udp, listed }
  }

  /** Each server is there, or a refusal would prove nothing. */
  async prove(): Promise<number> {
    const socket = { data() {} }
    const { tcp, tcp6, udp } = this.ports
    const ends = [
      await Bun.connect({ hostname: '127.0.0.1', port: tcp, socket }),
      await Bun.connect({ hostname: '::1', port: tcp6, socket }),
      await Bun.connect({ unix: `\0${this.abstract}`, socket }),
    ]
    const sender = await Bun.udpSocket({})
    sender.send('x', udp, '127.0.0.1')
    for (let looks = 0; this.reached < 4 && looks < 500; looks += 1) await Bun.sleep(10)
    for (const end of ends) end.end()
    sender.close()
    return this.reached
  }

  stop(): void {
    for (const server of [this.#tcp, this.#tcp6, this.#unix]) server.stop(true)
    this.#udp?.close()
    void this.#listed.stop(true)
  }

  #count(): void {
    this.reached += 1
  }
}

const raw = (options: string) =>
  `node -e 'require("net").connect(${options}).on("connect",()=>process.exit(0)).on("error",()=>process.exit(1))'`
/** A server of a person's own, with one tool. */
const MCP_SERVER = `
import { createInterface } from 'node:readline'
const tool = { name: 'find', description: 'Finds tickets', inputSchema: { type: 'object', properties: {} } }
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const serverInfo = { name: 'tickets', version: '1' }
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
    'tools/list': { tools: [tool] },
  }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
}
`

/** Asks the proxy in its own words: other programs would change the name. */
const way = (address: string) =>
  `node -e 'const s=require("net").connect(new URL(process.env.HTTP_PROXY).port,"127.0.0.1");s.write("CONNECT ${address} HTTP/1.1\\r\\n\\r\\n");s.on("data",d=>process.exit(String(d).includes(" 200 ")?0:1))'`
const ask = 'curl -sS -f -m 10'

/** Commands of a shell that must fail. */
const escapes = ({ ports, abstract }: Outside): Record<string, string> => ({
  'a host that nobody listed, by the proxy': `${ask} https://example.com/`,
  'the same without encryption': `${ask} http://example.com/`,
  'a host without the proxy': `${ask} --noproxy '*' https://registry.npmjs.org/`,
  'a raw socket of Node': raw('{host:"1.1.1.1",port:443,timeout:5000}'),
  'a raw socket of Bun': `${process.execPath} -e 'await Bun.connect({hostname:"1.1.1.1",port:443,socket:{data(){}}})'`,
  'an address of IPv6': raw('{host:"2606:4700:4700::1111",port:443}'),
  'another port of this machine': raw(`{host:"127.0.0.1",port:${ports.tcp}}`),
  'the same by the proxy': `${ask} -p --noproxy '' http://127.0.0.1:${ports.tcp}/`,
  'a port of this machine by IPv6': raw(`{host:"::1",port:${ports.tcp6}}`),
  'the same by IPv6 and the proxy': `${ask} -p --noproxy '' 'http://[::1]:${ports.tcp6}/'`,
  'the same, as IPv4 in IPv6': `${ask} -p --noproxy '' 'http://[::ffff:127.0.0.1]:${ports.tcp}/'`,
  'a listed name that leads to this machine': way(`0x7f.1:${ports.tcp}`),
  'metadata of a cloud': `${ask} --noproxy '*' http://169.254.169.254/latest/meta-data/`,
  'metadata of a cloud by the proxy': `${ask} http://169.254.169.254/latest/meta-data/`,
  'an abstract socket of the machine': raw(`{path:"\\0${abstract}"}`),
  'a name server': `node -e 'require("dns").resolve4("example.com",(e)=>process.exit(e?1:0))'`,
  'more rights over the network': 'ip link add dummy0 type dummy || unshare -n true && false',
})

describe.each(CLI_VERSIONS)('the network of a sandboxed run of %s', (version) => {
  const outside = new Outside()
  let lab: LabWith<'claude' | 'here'>
  let tries: Record<string, string>
  beforeAll(async () => {
    await needBubblewrap()
    await outside.start()
    const { listed, tcp, udp } = outside.ports
    // Not an address that programs reach past the proxy: the model is reached by it.
    lab = await openLab({
      claude: { version, script: [], host: '127.0.0.2' },
      here: {
        settings: {
          'worker.sandbox': 'require',
          'worker.allow': ['*'],
          'worker.maxPermissionMode': 'bypassPermissions',
          'worker.mcpServers': ['tickets'],
          'worker.network': [`localhost:${listed}`, `0x7f.1:${tcp}`],
        },
      },
    })
    tries = escapes(outside)
    const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'Work' } })
    const allowed = [
      `curl -sS http://localhost:${listed}/ && echo " DIRECTLY"`,
      `curl -sS --noproxy '' http://localhost:${listed}/ && echo " BY THE PROXY"`,
      'curl -sS http://example.com/',
      `node -e 'const s=require("dgram").createSocket("udp4");s.send("x",${udp},"127.0.0.1",()=>s.close())'; true`,
      'python3 -m http.server --bind 127.0.0.1 8123 >/dev/null 2>&1 & sleep 1; curl -sS -o /dev/null http://127.0.0.1:8123/ && echo OWN SERVER',
    ]
    const rules = [
      {
        match: { prompt: 'reach out', who: 'main' },
        steps: [
          ...Object.values(tries).map((command) => ({ tools: [bash(command)] })),
          ...allowed.map((command) => ({ tools: [bash(command)] })),
          { text: 'Tried all of it, word by word, and said so at length.', pace: 50 },
        ],
      },
    ]
    writeFileSync(join(lab.claude.root, 'script.json'), JSON.stringify(rules))
    const server = join(lab.claude.home, 'tickets.mjs')
    writeFileSync(server, MCP_SERVER)
    const mcpServers = { tickets: { command: 'node', args: [server] }, other: { command: 'node', args: [server] } }
    writeFileSync(join(lab.claude.home, '.claude.json'), JSON.stringify({ mcpServers }))
    await lab.here.startWorker()
  })
  afterAll(async () => {
    outside.stop()
    await lab.stop()
  })

  test('reaches its model and Lodeline and what is listed, and nothing else by any way; its log tells what was refused, once', async () => {
    const { id } = await lab.tasks.create('Please reach out', { permissionMode: 'bypassPermissions' })
    const task = await lab.tasks.reached(id, 'completed')
    expect(task.output).toBe('Tried all of it, word by word, and said so at length.')
    expect(outside.reached).toBe(0)
    const log = await lab.tasks.log(id)
    const results = log.filter(({ kind }) => kind === 'tool_result').map(({ text }) => text)
    expect(Object.keys(tries).filter((_, index) => results[index]?.startsWith('Bash failed') !== true)).toEqual([])
    const shown = lab.claude.lastShown(task.claudeSessionId ?? '')
    for (const words of ['LISTED SERVICE DIRECTLY', 'LISTED SERVICE BY THE PROXY', 'OWN SERVER'])
      expect(shown).toContain(words)
    // The agent's text names the setting.
    expect(shown).toContain('Lodeline refused the connection: example.com:80 is not in worker.network')
    const words = await lab.tasks.words(id)
    expect(words.filter((text) => text.includes('example.com:80'))).toEqual([
      'a connection was refused: example.com:80 is not in worker.network',
    ])
    expect(words).toContain(
      'in a sandbox: it writes in its folder only, sees no keys of yours, and reaches its model, Lodeline and the hosts of worker.network',
    )
    expect(words.find((text) => text.includes('0x7f.1'))).toContain('an address of a private network')
    // Its tools are Lodeline's: the server was reached.
    const first = lab.claude.requests().find(({ who }) => who === 'main')
    const offered = JSON.stringify(first?.body).match(/mcp__[a-z]+__[a-z-]+/g) ?? []
    expect(offered).toContain('mcp__lodeline__finish-task')
    // Only those of the person's own servers that the person named.
    expect(offered).toContain('mcp__tickets__find')
    expect(offered.filter((name) => name.startsWith('mcp__other'))).toEqual([])
    expect(await outside.prove()).toBe(4)
  })
})
