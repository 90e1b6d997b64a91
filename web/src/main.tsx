import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isAppError } from '#domain/errors'
import { MINUTE_MS } from '#domain/time-units'
import { keepFocus } from './lib/keys/keep-focus'
import { listenForKeys } from './lib/keys/keys'
import { keepInstalledWorker } from './lib/notify/push'
import { applyLetters } from './lib/rem'
import { applyScheme } from './lib/scheme'
import { router } from './router'
import { Entrance } from './shell/entrance'

applyScheme()
applyLetters()
listenForKeys()
keepFocus()
keepInstalledWorker()

/** Data stays valid until the feed says otherwise, so nothing is refetched by a timer or on focus. */
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A server on this machine is there when the machine has no network.
      networkMode: 'always',
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: MINUTE_MS,
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
      retry: (failures, error) => failures < 4 && isAppError(error) && error.code === 'unavailable',
      retryDelay: (failures) => Math.min(250 * 2 ** failures, 4_000),
    },
    mutations: { networkMode: 'always' },
  },
})

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the dashboard')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Entrance queries={queries}>
        <RouterProvider router={router} />
      </Entrance>
    </QueryClientProvider>
  </StrictMode>,
)
