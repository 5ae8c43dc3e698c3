declare module 'virtual:routes' {
  const routes: import('./build/routes.ts').RouteTable;
  export default routes;
}
