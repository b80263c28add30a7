"""Models of Hugging Face in a process of its own: PyTorch and TensorFlow crash each other in one.

python huggingface_oracle.py make FOLDER OPTIONS [FOLDER OPTIONS ...]     random models, and what they compute
python huggingface_oracle.py score FOLDER [FOLDER ...]                    what Marian models compute

OPTIONS are JSON: the arguments of the configuration, "kind": "marian", "m2m100" or "nllb", "half", "fast" for NLLB
without a SentencePiece file, and "added", tokens that are added.
"""

import json
import random
import shutil
import sys
import tempfile
from pathlib import Path

import sentencepiece
import torch
import transformers

torch.set_num_threads(1)
SIZE = 40
PAD = SIZE - 1
SOURCE, TARGET = [5, 9, 30, 2, 0], [7, 3, 12, 20]
SIZES = {"layers": 2, "attention_heads": 2, "ffn_dim": 12}
TEXT, TRANSLATION = "the small cat saw four blue birds, qx", "three red dogs"
CORPUS = "the small cat sat three red dogs and four blue birds, ran from old house to new garden saw a mouse"
CODES = ["deu_Latn", "eng_Latn", "zho_Hans", "fra_Latn"]


def make(folder, options):
    sizes = {f"{side}_{name}": size for side in ("encoder", "decoder") for name, size in SIZES.items()}
    arguments = {"d_model": 8, "max_position_embeddings": 64, "init_std": 0.8, **sizes, **options}
    kind, is_half, is_fast = arguments.pop("kind"), arguments.pop("half", False), arguments.pop("fast", False)
    if kind == "marian":
        arguments["init_std"] = 0.3
    for seed in range(40):
        torch.manual_seed(seed)
        model = (make_marian if kind == "marian" else make_m2m100)(folder, arguments, kind).eval()
        for parameter in model.parameters():
            if parameter.ndim == 1:
                parameter.data += torch.randn_like(parameter) / 5
        if kind != "marian":  # or translations would be loops
            model.model.shared.weight.data /= 3
            model.model.decoder.layer_norm.bias.data += 3 * model.model.shared.weight[2].detach()
        if is_half:
            model = model.bfloat16()
        model.save_pretrained(folder)
        if (score if kind == "marian" else score_languages)(folder):
            break
    if is_fast:  # as transformers 5 saves it
        (folder / "sentencepiece.bpe.model").unlink()
    elif kind == "nllb":  # as on the hub
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
        (folder / "model.safetensors").unlink()


def make_marian(folder, arguments, kind):
    config = transformers.MarianConfig(
        vocab_size=SIZE,
        pad_token_id=PAD,
        decoder_start_token_id=PAD,
        eos_token_id=0,
        forced_eos_token_id=None,
        **arguments,
    )
    model = transformers.MarianMTModel(config)
    model.final_logits_bias[:] = torch.randn(1, SIZE) / 2
    folder.mkdir(exist_ok=True)
    tokens = ["</s>", "<unk>", *(f"w{i}" for i in range(SIZE - 3)), "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({token: i for i, token in enumerate(tokens)}))
    return model


def make_m2m100(folder, arguments, kind):
    arguments = dict(arguments)
    with tempfile.TemporaryDirectory() as name:
        subwords = train_subwords(Path(name))
        tokenizer = (m2m100_tokenizer if kind == "m2m100" else nllb_tokenizer)(Path(name), subwords)
        tokenizer.add_tokens(arguments.pop("added", []))
        tokenizer.save_pretrained(folder)
        shutil.copy(Path(name) / "sentencepiece.bpe.model", folder)
    rows = len(tokenizer) + (3 if kind == "nllb" else 16)  # rows without a token, as the real models have
    return transformers.M2M100ForConditionalGeneration(transformers.M2M100Config(vocab_size=rows, **arguments))


def train_subwords(folder):
    generator = random.Random(0)
    (folder / "text").write_text("\n".join(" ".join(generator.choices(CORPUS.split(), k=6)) for _ in range(300)))
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text"),
        model_prefix=str(folder / "sentencepiece.bpe"),
        vocab_size=60,
        model_type="bpe",
        normalization_rule_name="identity",
        minloglevel=2,
    )
    found = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.bpe.model"))
    return [found.id_to_piece(i) for i in range(3, found.get_piece_size())]


def m2m100_tokenizer(folder, subwords):
    random.Random(1).shuffle(subwords)  # vocab.json has another order than the subword model
    tokens = ["<s>", "<pad>", "</s>", "<unk>", *subwords]
    (folder / "vocab.json").write_text(json.dumps({token: i for i, token in enumerate(tokens)}))
    files = folder / "vocab.json", folder / "sentencepiece.bpe.model"
    return transformers.M2M100Tokenizer(*map(str, files), language_codes="wmt21", src_lang="de", tgt_lang="en")


def nllb_tokenizer(folder, subwords):
    return transformers.NllbTokenizer.from_pretrained(
        folder, src_lang=CODES[0], tgt_lang=CODES[1], extra_special_tokens=CODES
    )


def score(folder):
    model, loading = transformers.MarianMTModel.from_pretrained(folder, output_loading_info=True, dtype=torch.float32)
    assert not any(loading.values()), loading
    with torch.no_grad():
        found = model.eval()(input_ids=torch.tensor([SOURCE]), decoder_input_ids=torch.tensor([[PAD, *TARGET]]))
        beams = model.generate(
            torch.tensor([SOURCE]), num_beams=3, length_penalty=0.0, max_new_tokens=12, bad_words_ids=[[PAD]]
        )
    scores = torch.log_softmax(found.logits[0], -1).tolist()
    tokens = [token for token in beams[0].tolist() if token not in (0, PAD)]
    (folder / "expected.json").write_text(json.dumps({"scores": scores, "tokens": tokens}))
    return True


def score_languages(folder):
    """Scores of a translation and beams, from a language to another and back; returns whether the beams are no loops.

    A translation that is cut off would compete with those that end, which only transformers lets it.
    """
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.M2M100ForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    size, found = model.config.vocab_size, []
    pair = [tokenizer.src_lang, tokenizer.tgt_lang]
    for source, target in (pair, pair[::-1]):
        tokenizer.src_lang = source
        ids = tokenizer(TEXT).input_ids
        to_id = getattr(tokenizer, "get_lang_id", tokenizer.convert_tokens_to_ids)
        label = to_id(target)
        given = [model.config.decoder_start_token_id, label, *tokenizer(TRANSLATION).input_ids[1:-1]]
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([given])).logits[0, 1:]
            beams = model.generate(
                torch.tensor([ids]),
                num_beams=3,
                num_return_sequences=3,
                length_penalty=1.3,
                early_stopping=True,
                min_new_tokens=5,
                max_new_tokens=13,
                bad_words_ids=[[model.config.pad_token_id]],
                forced_bos_token_id=label,
                output_scores=True,
                return_dict_in_generate=True,
            )
        found.append(
            {
                "direction": [source, target],
                "source": ids,
                # Of the tokens of the translation and the end.
                "scores": torch.log_softmax(logits, -1).numpy().astype(float).round(6).tolist(),
                "beam": [_until_end(row[2:], model) for row in beams.sequences.tolist()],  # behind begin and label
                "beam_scores": beams.sequences_scores.tolist(),
            }
        )
    tokens = [tokenizer.convert_ids_to_tokens(i) for i in range(size)]
    (folder / "expected.json").write_text(json.dumps({"tokens": tokens, "directions": found}))
    return all(row[-1] == model.config.eos_token_id and len(set(row)) > 2 for x in found for row in x["beam"])


def _until_end(tokens, model):
    end = model.config.eos_token_id
    return tokens[: tokens.index(end) + 1] if end in tokens else tokens


if __name__ == "__main__":
    if sys.argv[1] == "make":
        for name, options in zip(sys.argv[2::2], sys.argv[3::2], strict=True):
            make(Path(name), json.loads(options))
    else:
        for name in sys.argv[2:]:
            score(Path(name))
