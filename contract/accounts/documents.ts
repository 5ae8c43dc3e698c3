import { z } from 'zod';
import { call } from '../base.ts';
import { LEGAL_NAMES } from './legal.ts';

/** Documents and agreements to read and print (calls 7, Agreements). */
export const documents = {
  getDocumentAgreementFile: call
    .route({
      method: 'GET',
      path: '/general/document/{name}',
      tags: ['Agreements'],
      summary: "Returns a document in the name of the host's company, as HTML to show and print",
    })
    .meta({ access: 'document.read' })
    .input(z.object({ name: z.enum(LEGAL_NAMES) }))
    .output(z.object({ data: z.string().describe('A complete HTML page without scripts') })),
};
