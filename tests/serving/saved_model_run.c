/* Runs text signatures of a SavedModel through TensorFlow's C API, as the model server does: no Python, no keras_nmt.

   saved_model_run DIRECTORY [--library FILE]... [--disable-xla]
                   {--run {--input NAME:INDEX TEXTS}... {--output NAME:INDEX}...}...

   --library      a library of operators to load first (tensorflow_text's _sentencepiece_tokenizer.so)
   --disable-xla  refuse XLA, as a model server does that was not told to allow it
   --run          one call of a signature: its inputs, each a file with one text a line, and its outputs.
                  NAME:INDEX are a tensor's operator and output number, as `saved_model_cli show` prints them

   Prints, for each output of each run, a line "NAME:INDEX SHAPE", then its values, one a line. Ends with status 1 at the
   first error that TensorFlow reports (its code and message on standard error), with status 2 for wrong arguments.

   Build, with D the folder of the installed tensorflow package:
   gcc -std=c99 saved_model_run.c -o saved_model_run -I$D/include -L$D -l:libtensorflow_cc.so.2 \
       -l:libtensorflow_framework.so.2 -Wl,-rpath,$D -ldl */

#define _GNU_SOURCE /* RTLD_DEFAULT, getline */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

enum { MAX_TENSORS = 16 };

/* Set in the model server's main() unless XLA is allowed there; exported by the library, declared in no C header. */
static const char *const kDisableXla = "_ZN10tensorflow21DisableXlaCompilationEv";

static void fail(const char *message, const char *detail) {
  fprintf(stderr, "saved_model_run: %s: %s\n", message, detail);
  exit(2);
}

static void check(const TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "TensorFlow error %d: %s\n", TF_GetCode(status), TF_Message(status));
  exit(1);
}

static void disable_xla(void) {
  void (*disable)(void);
  *(void **)&disable = dlsym(RTLD_DEFAULT, kDisableXla);
  if (disable == NULL) fail("no such function in the TensorFlow libraries", kDisableXla);
  disable();
}

/* "serving_default_text:0" -> that operator's output 0 in the graph. */
static TF_Output find_tensor(TF_Graph *graph, const char *name) {
  const char *colon = strrchr(name, ':');
  if (colon == NULL) fail("not of the form NAME:INDEX", name);
  char *operator_name = strndup(name, (size_t)(colon - name));
  TF_Output tensor = {TF_GraphOperationByName(graph, operator_name), atoi(colon + 1)};
  if (tensor.oper == NULL) fail("no such operator in the graph", operator_name);
  free(operator_name);
  return tensor;
}

/* The lines of a file as a string tensor [number of lines]. */
static TF_Tensor *read_texts(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) fail("cannot read", path);
  char **lines = NULL;
  int64_t count = 0;
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  while ((length = getline(&line, &capacity, file)) >= 0) {
    if (length > 0 && line[length - 1] == '\n') line[length - 1] = '\0';
    lines = realloc(lines, (size_t)(count + 1) * sizeof *lines);
    lines[count++] = strdup(line);
  }
  free(line);
  fclose(file);

  TF_Tensor *tensor = TF_AllocateTensor(TF_STRING, &count, 1, (size_t)count * sizeof(TF_TString));
  TF_TString *strings = TF_TensorData(tensor);
  for (int64_t i = 0; i < count; i++) {
    TF_TString_Init(&strings[i]);
    TF_TString_Copy(&strings[i], lines[i], strlen(lines[i]));
    free(lines[i]);
  }
  free(lines);
  return tensor;
}

static void print_tensor(const char *name, const TF_Tensor *tensor) {
  printf("%s [", name);
  for (int d = 0; d < TF_NumDims(tensor); d++) printf("%s%" PRId64, d ? "," : "", TF_Dim(tensor, d));
  printf("]\n");
  const void *data = TF_TensorData(tensor);
  const int64_t count = TF_TensorElementCount(tensor);
  for (int64_t i = 0; i < count; i++) {
    switch (TF_TensorType(tensor)) {
      case TF_STRING: {
        const TF_TString *string = (const TF_TString *)data + i;
        fwrite(TF_TString_GetDataPointer(string), 1, TF_TString_GetSize(string), stdout);
        printf("\n");
        break;
      }
      case TF_FLOAT:
        printf("%.9g\n", ((const float *)data)[i]);
        break;
      case TF_BOOL:
        printf("%s\n", ((const unsigned char *)data)[i] ? "true" : "false");
        break;
      default:
        fail("an output is neither text, float32 nor bool", name);
    }
  }
}

/* One call: reads arguments from position *at up to the next --run. */
static void run(TF_Graph *graph, TF_Session *session, int argc, char **argv, int *at) {
  TF_Output inputs[MAX_TENSORS], outputs[MAX_TENSORS];
  TF_Tensor *given[MAX_TENSORS], *results[MAX_TENSORS];
  const char *names[MAX_TENSORS];
  int num_inputs = 0, num_outputs = 0;
  while (*at < argc && strcmp(argv[*at], "--run") != 0) {
    const char *flag = argv[(*at)++];
    if (strcmp(flag, "--input") == 0 && *at + 1 < argc && num_inputs < MAX_TENSORS) {
      inputs[num_inputs] = find_tensor(graph, argv[(*at)++]);
      given[num_inputs++] = read_texts(argv[(*at)++]);
    } else if (strcmp(flag, "--output") == 0 && *at < argc && num_outputs < MAX_TENSORS) {
      names[num_outputs] = argv[*at];
      outputs[num_outputs++] = find_tensor(graph, argv[(*at)++]);
    } else {
      fail("unexpected argument", flag);
    }
  }

  TF_Status *status = TF_NewStatus();
  TF_SessionRun(session, NULL, inputs, given, num_inputs, outputs, results, num_outputs, NULL, 0, NULL, status);
  check(status);
  for (int i = 0; i < num_outputs; i++) {
    print_tensor(names[i], results[i]);
    TF_DeleteTensor(results[i]);
  }
  fflush(stdout); /* what worked is on record even if a later run fails */
  for (int i = 0; i < num_inputs; i++) TF_DeleteTensor(given[i]);
  TF_DeleteStatus(status);
}

int main(int argc, char **argv) {
  if (argc < 2) fail("the first argument is missing", "DIRECTORY of the SavedModel");
  TF_Status *status = TF_NewStatus();
  int at = 2;
  for (; at < argc && strcmp(argv[at], "--run") != 0; at++) {
    if (strcmp(argv[at], "--library") == 0 && at + 1 < argc) {
      TF_LoadLibrary(argv[++at], status);
      check(status);
    } else if (strcmp(argv[at], "--disable-xla") == 0) {
      disable_xla();
    } else {
      fail("unexpected argument", argv[at]);
    }
  }

  const char *tags[] = {"serve"};
  TF_Graph *graph = TF_NewGraph();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_LoadSessionFromSavedModel(options, NULL, argv[1], tags, 1, graph, NULL, status);
  check(status);
  while (at < argc) {
    at++; /* past --run */
    run(graph, session, argc, argv, &at);
  }

  TF_CloseSession(session, status);
  check(status);
  TF_DeleteSession(session, status);
  check(status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return 0;
}
