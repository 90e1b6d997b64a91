/** How a browser comes in and stays in, and what pages of others can do with that: nothing. */
import { beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { browserOfTests, logIn, withDashboard } from './page/page'

beforeAll(async () => void (await browserOfTests()))

/** The browser itself reports a wrong or missing login in the console. */
const REFUSED = [/^refused: \w+ \S+\/api\/\S+ 401$/, /^console error: Failed to load resource: .* 401 /]
/** So does it of a server that was killed. */
const AWAY = [/ERR_(CONNECTION|INCOMPLETE|NETWORK|EMPTY)/]

test('a browser that came in has a cookie that no script sees, and nothing else', async () => {
  await withDashboard({ path: '/tree' }, async ({ page, context, server, problems }) => {
    expect(page.url()).toBe(`${server.url}/tree`)
    const cookies = await context.cookies(`${server.url}/api/me`)
    expect(cookies).toHaveLength(1)
    expect(cookies[0]).toMatchObject({ path: '/api', httpOnly: true, sameSite: 'Strict', secure: false })
    expect(await page.evaluate('document.cookie')).toBe('')
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])')
    expect(kept).not.toContain(cookies[0]?.value ?? '')
    // The code was never sent but in the body that exchanged it.
    expect(problems.requests.filter((url) => /code=|token/.test(url))).toEqual([])
  })
})

test('a login lasts over a reload and a restart of the server', async () => {
  await withDashboard({}, async ({ page, server, problems }) => {
    problems.allow(...AWAY)
    await page.reload()
    await page.getByRole('link', { name: 'Tree' }).first().waitFor()
    await server.kill()
    await server.up()
    await page.goto(`${server.url}/fleet`)
    await page.getByRole('link', { name: 'Tree' }).first().waitFor()
    expect(page.url()).toBe(`${server.url}/fleet`)
  })
})

test('who logs out is out in all pages of the browser, and in each copy of the cookie', async () => {
  await withDashboard({}, async ({ page, context, server, problems }) => {
    const cookies = await context.cookies()
    const other = await context.newPage()
    await other.goto(`${server.url}/fleet`)
    await other.locator('[data-live=live]').waitFor()
    problems.allow(...REFUSED)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Code').waitFor()
    await other.getByLabel('Code').waitFor()
    await context.addCookies(cookies)
    await page.reload()
    await page.getByLabel('Code').waitFor()
  })
})

test('who is in already is led on, and the code leaves the address and is used up', async () => {
  await withDashboard({}, async ({ page, server }) => {
    await logIn(page, server, '/costs?by=model')
    expect(page.url()).toBe(`${server.url}/costs?by=model`)
    await page.goBack()
    expect(page.url()).not.toContain('code')
    const { code } = await server.client.login.code()
    const isTaken = page.waitForResponse(`${server.url}/api/login`)
    await page.goto(`${server.url}/login#code=${code}`)
    expect((await isTaken).status()).toBe(200)
    const again = await fetch(`${server.url}/api/login`, {
      method: 'POST',
      body: JSON.stringify({ code }),
      headers: { 'content-type': 'application/json', origin: server.url },
    })
    expect(again.status).toBe(401)
  })
})

test('the page that `lode open` gives a browser logs it in and leads on', async () => {
  await withDashboard({ isLoggedIn: false }, async ({ page, server, home, problems }) => {
    // The page itself is a file.
    problems.allow(...REFUSED, /^asks others: GET file:\/\/\/\S+\/open\/[0-9a-f]{32}\.html$/)
    const desk = join(home, 'desk')
    mkdirSync(desk)
    writeFileSync(join(desk, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > '${home}/opened'\n`, { mode: 0o700 })
    const env = { DISPLAY: ':0', PATH: `${desk}:${process.env.PATH}` }
    expect((await server.spawn(['open', '/tree'], env).exited).exitCode).toBe(0)
    const given = readFileSync(join(home, 'opened'), 'utf8')
    await page.goto(pathToFileURL(given).href)
    await page.getByRole('link', { name: 'Tree' }).first().waitFor()
    expect(page.url()).toBe(`${server.url}/tree`)
  })
})

test('a code that is wrong says so, and the right one can be typed then', async () => {
  await withDashboard({ isLoggedIn: false }, async ({ page, server, problems }) => {
    problems.allow(...REFUSED)
    await page.goto(`${server.url}/login#code=0000-0000-0000&to=%2Ftree`)
    await page.getByText('This login code is wrong, already used or too old').waitFor()
    const { code } = await server.client.login.code()
    await page.getByLabel('Code').fill(code.toLowerCase().replaceAll('-', ''))
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Tree' }).first().waitFor()
    expect(page.url()).toBe(`${server.url}/tree`)
  })
})

test('an address that leads elsewhere is not gone to', async () => {
  await withDashboard({ isLoggedIn: false }, async ({ page, server, problems }) => {
    problems.allow(...REFUSED)
    for (const to of ['//evil.example/', '/\\evil.example', 'javascript:alert(1)', 'http://evil.example/']) {
      const { code } = await server.client.login.code()
      await page.goto(`${server.url}/login#${new URLSearchParams({ code, to })}`)
      await page.getByRole('link', { name: 'Tree' }).first().waitFor()
      expect(page.url()).toBe(`${server.url}/`)
      await page.goto('about:blank')
    }
  })
})

test('when the token is another the page asks for a login, and shows the record no more', async () => {
  await withDashboard({ path: '/tree' }, async ({ page, server, home, problems }) => {
    problems.allow(...REFUSED, ...AWAY)
    await server.kill()
    writeFileSync(join(home, 'token'), `${'b'.repeat(64)}\n`)
    await server.up()
    await page.getByText('lode open').first().waitFor()
    expect(await page.getByRole('link', { name: 'Tree' }).count()).toBe(0)
  })
})

/** What a text of an agent would do in our page if it became a part of it, with a server of its own at `evil`. As text: this project's types know no page. */
const INTRUSIONS = `(async () => {
  const attempt = (work) => { try { return String(work()) } catch (error) { return error.name } }
  const add = (tag, fields) => new Promise((resolve) => {
    const element = document.createElement(tag)
    element.onload = () => resolve('loaded')
    element.onerror = () => resolve('blocked')
    Object.assign(element, fields)
    document.body.append(element)
    setTimeout(() => resolve('nothing'), 2000)
  })
  const inline = document.createElement('script')
  inline.append('globalThis.ran = true')
  document.body.append(inline)
  return {
    markup: attempt(() => { document.createElement('div').innerHTML = '<img src=x onerror=alert(1)>' }),
    text: attempt(() => { document.createElement('script').textContent = 'globalThis.ran = true' }),
    program: String(globalThis.ran),
    image: await add('img', { src: evil + 'x.png' }),
    style: await add('link', { rel: 'stylesheet', href: evil + 'x.css' }),
    script: attempt(() => { document.createElement('script').src = evil + 'x.js' }),
    asked: await fetch(evil).then(() => 'answered', () => 'blocked'),
  }
})()`

/** What a page of another origin, with the person's cookie in the same browser, tries on the server at `own`. */
const ATTACKS = `(async () => {
  const outcome = (work) => work.then(({ type, status }) => type + ' ' + status, () => 'refused')
  const post = (init) =>
    outcome(fetch(own + '/api/tasks', { method: 'POST', credentials: 'include', body: '{"task":"x"}', ...init }))
  const framed = document.createElement('iframe')
  framed.src = own
  const isThere = new Promise((resolve) => { framed.onload = resolve })
  document.body.append(framed)
  await isThere
  // A page that refuses to be framed is replaced by one of the browser's own, of an origin that nobody has.
  let isFramed = framed.contentWindow.length > 0
  try { isFramed ||= framed.contentDocument !== null } catch {}
  return {
    read: await outcome(fetch(own + '/api/tasks', { credentials: 'include' })),
    json: await post({ headers: { 'content-type': 'application/json' } }),
    blind: await post({ mode: 'no-cors' }),
    isFramed,
  }
})()`

/** A form needs no leave to send across origins. */
const FORM = `(() => {
  const form = document.createElement('form')
  Object.assign(form, { method: 'POST', action: own + '/api/tasks', enctype: 'text/plain' })
  const field = document.createElement('input')
  Object.assign(field, { name: '{"task":"x","y":"', value: '"}' })
  form.append(field)
  document.body.append(form)
  form.submit()
})()`

test('nothing that comes into a page by other ways than ours runs, loads or is sent', async () => {
  await withDashboard({}, async ({ page, problems }) => {
    const heard: string[] = []
    const evil = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        heard.push(request.url)
        return new Response('x', { headers: { 'access-control-allow-origin': '*' } })
      },
    })
    try {
      problems.allow(/Content Security Policy|TrustedHTML|TrustedScript/, new RegExp(evil.url.host))
      await page.evaluate(`globalThis.evil = ${JSON.stringify(evil.url.href)}`)
      expect(await page.evaluate(INTRUSIONS)).toEqual({
        markup: 'TypeError',
        text: 'TypeError',
        program: 'undefined',
        image: 'blocked',
        style: 'blocked',
        script: 'TypeError',
        asked: 'blocked',
      })
      expect(heard).toEqual([])
    } finally {
      await evil.stop(true)
    }
  })
})

test('a page of another server on this machine reads nothing, writes nothing and frames nothing', async () => {
  await withDashboard({}, async ({ context, server, client }) => {
    const other = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response('<!doctype html><title>x</title>', { headers: { 'content-type': 'text/html' } }),
    })
    try {
      const page = await context.newPage()
      await page.goto(other.url.href)
      await page.evaluate(`globalThis.own = ${JSON.stringify(server.url)}`)
      // That the blind one is not even told apart from a failure is the doing of our answer's own policy.
      expect(await page.evaluate(ATTACKS)).toEqual({
        read: 'refused',
        json: 'refused',
        blind: 'refused',
        isFramed: false,
      })
      expect((await client.tasks.list()).tasks).toEqual([])
      await page.evaluate(FORM)
      await page.waitForURL((url) => url.href.startsWith(server.url))
      expect(await page.textContent('body')).toContain('"forbidden"')
      expect((await client.tasks.list()).tasks).toEqual([])
    } finally {
      await other.stop(true)
    }
  })
})
