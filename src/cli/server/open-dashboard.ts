import type { Context, ServerConnection } from '../kit/context'
import { openBrowser } from './open-browser'

/** An address that logs a browser in. */
export interface LoginAddress {
  url: string
  /** The page's own address, for another browser. */
  elsewhere: string
  code: string
  expiresAt: string
}

/** Makes a code that is valid once. The address has it behind `#`: no server, log or proxy ever sees it. */
export async function loginAddress(context: Context, server: ServerConnection, page = '/'): Promise<LoginAddress> {
  const { code, path, url, expiresAt } = await server.client.login.code({ signal: context.signal })
  return {
    url: `${server.url}${path}#code=${code}&to=${encodeURIComponent(page)}`,
    elsewhere: (url ?? server.url) + path,
    code,
    expiresAt,
  }
}

/** Opens a page in the person's browser, logged in. @returns `false` when there is no desktop here */
export async function openDashboard(context: Context, server: ServerConnection, page = '/'): Promise<boolean> {
  return await openBrowser((await loginAddress(context, server, page)).url, context.config().home, context.io)
}
